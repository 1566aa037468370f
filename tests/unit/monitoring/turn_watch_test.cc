#include "monitoring/turn_watch.h"

#include <gtest/gtest.h>

#include <ctime>
#include <thread>

#include "monitoring/metric_names.h"

namespace toolway::monitoring {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class TurnWatchTest : public testing::Test {
 protected:
  /// A turn that took `cpu`, which ends at `now`.
  void turn(seconds now, milliseconds cpu) {
    used_ += cpu;
    watch_.look(MonotonicTime(now), used_);
  }
  double longest_ms() { return metrics_->gauge(kLongestTurn, "loop", "0").value() * 1000; }
  double long_turns() { return metrics_->counter(kLongTurns).value(); }

  std::unique_ptr<Metrics> metrics_ = make_metrics("gateway");
  SystemClock clock_;
  TurnWatch watch_{*metrics_, clock_};
  milliseconds used_{0};
};

TEST_F(TurnWatchTest, ShowsTheLongestTurnOfAMinuteAtMost) {
  turn(seconds(100), milliseconds(3));
  turn(seconds(101), milliseconds(9));
  turn(seconds(102), milliseconds(4));
  EXPECT_DOUBLE_EQ(longest_ms(), 9);
  turn(seconds(130), milliseconds(2));
  EXPECT_DOUBLE_EQ(longest_ms(), 9) << "it has just been seen, and may not have been scraped";
  turn(seconds(160), milliseconds(1));
  EXPECT_DOUBLE_EQ(longest_ms(), 2);
}

TEST_F(TurnWatchTest, ForgetsWhatALoopDidThatHasSleptSince) {
  turn(seconds(100), milliseconds(9));
  turn(seconds(1000), milliseconds(1));
  EXPECT_DOUBLE_EQ(longest_ms(), 1);
}

TEST_F(TurnWatchTest, CountsEachLongTurn) {
  turn(seconds(100), milliseconds(10));
  EXPECT_EQ(long_turns(), 0);
  turn(seconds(101), milliseconds(30));
  turn(seconds(102), milliseconds(11));
  turn(seconds(103), milliseconds(1));
  EXPECT_EQ(long_turns(), 2);
  EXPECT_DOUBLE_EQ(longest_ms(), 30);
}

std::chrono::nanoseconds cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

void use(milliseconds time) {
  const auto enough = cpu_time() + time;
  while (cpu_time() < enough) {
  }
}

TEST_F(TurnWatchTest, CountsWhatItsThreadDoesAndNotHowLongItWaits) {
  std::thread([this] {
    watch_.begins();
    const auto woken = std::chrono::steady_clock::now() + milliseconds(30);
    std::this_thread::sleep_until(woken);
    watch_.ended();
    EXPECT_EQ(long_turns(), 0);
    use(milliseconds(15));
    watch_.ended();
    EXPECT_EQ(long_turns(), 1);
    EXPECT_GE(longest_ms(), 15);
  }).join();
}

TEST_F(TurnWatchTest, DoesNotCountWhatTheThreadDoesBetweenTurns) {
  std::thread([this] {
    use(milliseconds(15));
    watch_.begins();
    watch_.ended();
    use(milliseconds(15));
    watch_.begins();
    watch_.ended();
    EXPECT_EQ(long_turns(), 0);
  }).join();
}

TEST_F(TurnWatchTest, ANewThreadBeginsWithNothing) {
  for (int thread = 0; thread < 2; ++thread) {
    std::thread([this] {
      use(milliseconds(15));
      watch_.begins();
    }).join();
  }
  use(milliseconds(15));
  watch_.begins();
  use(milliseconds(1));
  watch_.ended();
  EXPECT_EQ(long_turns(), 0);
}

}  // namespace
}  // namespace toolway::monitoring
