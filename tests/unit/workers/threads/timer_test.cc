#include "workers/threads/timer.h"

#include <gtest/gtest.h>

#include <functional>
#include <future>

#include "tests/support/awaiting.h"
#include "tests/support/test_clock.h"

namespace toolway::workers::threads {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Does what a test says, and counts how often.
class Due final : public Timed {
 public:
  explicit Due(std::function<void(MonotonicTime)> what = {}) : what_(std::move(what)) {}
  void on_time(MonotonicTime now) override {
    ++times;
    if (what_) what_(now);
  }
  bool over() const override { return ended; }

  std::atomic<int> times{0};
  std::atomic<bool> ended{false};

 private:
  const std::function<void(MonotonicTime)> what_;
};

class TimerTest : public testing::Test {
 protected:
  MonotonicTime in(milliseconds time) const { return clock_.monotonic() + time; }

  toolway::test::StoppedClock clock_;
  Timer timer_{clock_};
};

TEST_F(TimerTest, FiresWhatIsDueOnceInTheOrderOfTime) {
  std::string order;
  const auto first = std::make_shared<Due>([&](MonotonicTime) { order += "1"; });
  const auto second = std::make_shared<Due>([&](MonotonicTime) { order += "2"; });
  const auto later = std::make_shared<Due>([&](MonotonicTime) { order += "3"; });
  timer_.schedule(in(seconds(3)), later);
  timer_.schedule(in(seconds(2)), second);
  timer_.schedule(in(seconds(1)), first);
  timer_.fire();
  EXPECT_EQ(order, "");
  clock_.advance(seconds(2));
  timer_.fire();
  EXPECT_EQ(order, "12") << "an instant is due when it has come";
  timer_.fire();
  EXPECT_EQ(order, "12");
  EXPECT_EQ(timer_.next_due(), in(seconds(1)));
}

TEST_F(TimerTest, WhatFiresMayScheduleAgainAndIsToldTheTime) {
  MonotonicTime told{};
  std::shared_ptr<Due> again;
  again = std::make_shared<Due>([&](MonotonicTime now) {
    told = now;
    timer_.schedule(now + seconds(1), again);
  });
  timer_.schedule(in(seconds(1)), again);
  clock_.advance(seconds(5));
  timer_.fire();
  EXPECT_EQ(told, clock_.monotonic());
  EXPECT_EQ(again->times, 1) << "the next time is in a second";
  clock_.advance(seconds(1));
  timer_.fire();
  EXPECT_EQ(again->times, 2);
}

TEST_F(TimerTest, WhatHasEndedOrIsGoneNeitherFiresNorHoldsTheThreadUp) {
  const auto ended = std::make_shared<Due>();
  const auto there = std::make_shared<Due>();
  timer_.schedule(in(seconds(1)), ended);
  timer_.schedule(in(seconds(2)), std::make_shared<Due>());
  timer_.schedule(in(seconds(3)), there);
  ended->ended = true;
  EXPECT_EQ(timer_.next_due(), in(seconds(3)));
  clock_.advance(seconds(9));
  timer_.fire();
  EXPECT_EQ(ended->times, 0);
  EXPECT_EQ(there->times, 1);
  EXPECT_EQ(timer_.next_due(), MonotonicTime::max());
}

TEST_F(TimerTest, WhatOneEndsAtTheSameInstantDoesNotFire) {
  const auto victim = std::make_shared<Due>();
  const auto first = std::make_shared<Due>([&](MonotonicTime) { victim->ended = true; });
  timer_.schedule(in(seconds(1)), first);
  timer_.schedule(in(seconds(2)), victim);
  clock_.advance(seconds(2));
  timer_.fire();
  EXPECT_EQ(first->times, 1);
  EXPECT_EQ(victim->times, 0);
}

TEST_F(TimerTest, OneThatThrowsKeepsTheOthersFromNothing) {
  const auto bad = std::make_shared<Due>([](MonotonicTime) { throw std::bad_alloc(); });
  const auto good = std::make_shared<Due>();
  timer_.schedule(in(seconds(1)), bad);
  timer_.schedule(in(seconds(2)), good);
  clock_.advance(seconds(2));
  timer_.fire();
  EXPECT_EQ(good->times, 1);
  timer_.fire();
  EXPECT_EQ(bad->times, 2) << "it stays due";
  EXPECT_EQ(good->times, 1);
}

TEST(TimerThread, WakesForWhatIsDueEarlierThanWhatItSleepsFor) {
  const SystemClock clock;
  Timer timer(clock);
  std::promise<void> fired;
  const auto later = std::make_shared<Due>();
  const auto sooner = std::make_shared<Due>([&](MonotonicTime) { fired.set_value(); });
  timer.start();
  timer.schedule(clock.monotonic() + std::chrono::hours(1), later);
  timer.schedule(clock.monotonic() + milliseconds(1), sooner);
  EXPECT_EQ(fired.get_future().wait_for(toolway::test::kPatience), std::future_status::ready);
  timer.stop();
  EXPECT_EQ(later->times, 0);
}

TEST(TimerThread, AfterItsEndNothingIsKept) {
  toolway::test::StoppedClock clock;
  Timer timer(clock);
  timer.start();
  const auto due = std::make_shared<Due>();
  timer.schedule(clock.monotonic() + seconds(1), due);
  timer.stop();
  timer.schedule(clock.monotonic(), due);
  EXPECT_EQ(timer.next_due(), MonotonicTime::max());
  clock.advance(seconds(2));
  timer.fire();
  EXPECT_EQ(due->times, 0);
}

}  // namespace
}  // namespace toolway::workers::threads
