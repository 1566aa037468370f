#include "bus/server_clock.h"

#include <gtest/gtest.h>

namespace toolway::bus {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// A machine: its monotonic clock, and what its clock on the wall shows.
struct Machine final : Clock {
  WallTime wall() const override { return begin + passed + set; }
  MonotonicTime monotonic() const override { return MonotonicTime(passed); }
  WallTime begin = from_unix_us(1'800'000'000'000'000);
  microseconds passed{seconds(1000)};
  microseconds set{0};
};

class AServerClock : public testing::Test {
 protected:
  /// The server's clock is right all the time.
  WallTime server() const { return machine.begin + machine.passed; }
  /// The server stored it just now; the answer took as long as the question.
  void read(microseconds round_trip = milliseconds(2)) {
    const auto begun = machine.monotonic();
    machine.passed += round_trip / 2;
    const auto stored = server();
    machine.passed += round_trip / 2;
    clock.read(begun, stored, machine.monotonic());
  }
  Machine machine;
  ServerClock clock{machine};
};

TEST_F(AServerClock, ShowsTheLocalTimeBeforeItKnowsBetter) {
  machine.set = hours(1);
  EXPECT_FALSE(clock.known());
  EXPECT_EQ(clock.wall(), machine.wall());
  EXPECT_EQ(clock.ahead(), std::nullopt);
}

TEST_F(AServerClock, ShowsTheServersTimeWhateverTheMachineSays) {
  for (const auto off : {hours(1), hours(-1)}) {
    machine.set = off;
    read();
    EXPECT_EQ(clock.wall(), server());
    EXPECT_EQ(clock.ahead(), microseconds(off));
  }
}

TEST_F(AServerClock, DoesNotMoveWhenTheMachinesClockIsSet) {
  read();
  machine.set = hours(1);
  machine.passed += seconds(3);
  EXPECT_EQ(clock.wall(), server());
  EXPECT_EQ(clock.ahead(), microseconds(hours(1))) << "and that is noticed without a reading";
  machine.set = hours(-1);
  EXPECT_EQ(clock.wall(), server());
  EXPECT_EQ(clock.ahead(), microseconds(hours(-1)));
}

TEST_F(AServerClock, TakesTheMachinesOwnTimeWhereTheReadingAllowsIt) {
  machine.set = microseconds(300);
  read();
  EXPECT_EQ(clock.wall(), machine.wall())
      << "the processes of one machine agree to the microsecond";
}

TEST_F(AServerClock, MovesNoFurtherThanAReadingAsks) {
  machine.set = hours(1);
  read();
  const auto before = clock.wall() - server();
  read(seconds(1));  // says little: within a second
  EXPECT_EQ(clock.wall() - server(), before);
  machine.begin += milliseconds(700);  // the server's clock was set as well
  read();
  EXPECT_NEAR(static_cast<double>((clock.wall() - server()).count()), 0, 1000);
}

TEST(AClock, IsRightWithinFiveSeconds) {
  EXPECT_TRUE(clock_is_right(seconds(5)));
  EXPECT_TRUE(clock_is_right(seconds(-5)));
  EXPECT_FALSE(clock_is_right(seconds(5) + microseconds(1)));
  EXPECT_FALSE(clock_is_right(seconds(-5) - microseconds(1)));
  EXPECT_FALSE(clock_is_right(std::nullopt)) << "who does not know the time reaps nothing";
  EXPECT_EQ(clock_in_words(seconds(2)), "ok");
  EXPECT_EQ(clock_in_words(hours(1)), "3600.0 s fast by NATS' clock");
  EXPECT_EQ(clock_in_words(hours(-1)), "3600.0 s slow by NATS' clock");
  EXPECT_EQ(clock_in_words(std::nullopt), "not known yet");
}

}  // namespace
}  // namespace toolway::bus
