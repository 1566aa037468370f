// The timer and the threads for calls while one allocation, or four in a row, fail: every one of
// them in turn.
#include <gtest/gtest.h>

#include "tests/memory/workers/scarce_memory.h"
#include "tests/support/awaiting.h"
#include "tests/support/test_clock.h"
#include "workers/threads/thread_executor.h"
#include "workers/threads/timer.h"

namespace toolway::workers::threads {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using toolway::test::Watch;

/// Due every second, like a worker's upkeep.
class EverySecond final : public Timed, public std::enable_shared_from_this<EverySecond> {
 public:
  explicit EverySecond(Timer& timer) : timer_(timer) {}
  void on_time(MonotonicTime now) override {
    timer_.schedule(now + seconds(1), weak_from_this());
    ++times;
  }
  bool over() const override { return false; }
  int times = 0;

 private:
  Timer& timer_;
};

TEST(TimerSweep, WhatIsDueIsDone) {
  for (const std::uint64_t count : {1, 4}) {
    std::uint64_t tried = 0;
    for (std::uint64_t asked = 1; tried < asked && !testing::Test::HasFailure(); ++tried) {
      toolway::test::StoppedClock clock;
      Timer timer(clock);
      std::vector<std::shared_ptr<EverySecond>> all;
      for (int i = 0; i < 5; ++i) {
        all.push_back(std::make_shared<EverySecond>(timer));
        timer.schedule(clock.monotonic(), all.back());
      }
      toolway::test::fail_allocations(tried + 1, count);
      for (int i = 0; i < 20; ++i, clock.advance(seconds(1))) {
        const Watch on;
        timer.fire();
      }
      asked = toolway::test::allocations();
      toolway::test::fail_allocations(0, 0);
      for (const auto& one : all) EXPECT_GE(one->times, 20 - static_cast<int>(count));
    }
    std::printf("%d allocations, each with the %d after it\n", static_cast<int>(tried),
                static_cast<int>(count - 1));
  }
}

class Answers final : public Job {
 public:
  explicit Answers(std::function<void(int)> answer) : answer_(std::move(answer)) {}
  void run() override {
    const Watch off(Watch::Mode::kOff);
    answer_(1);
  }
  bool quick() const override { return false; }
  bool native() const override { return false; }

 private:
  const std::function<void(int)> answer_;
};

/// A job was taken, and then it runs, or it was not.
void expect_runs(ThreadExecutor& executor) {
  toolway::test::Awaited<int> ran;
  const auto job = std::make_shared<Answers>(ran.callback());
  bool taken = true;
  try {
    const Watch on;
    executor.submit(job);
  } catch (const std::bad_alloc&) {
    taken = false;
  }
  if (!taken) executor.submit(job);
  EXPECT_EQ(ran.next(), 1);
}

TEST(ThreadExecutorSweep, WhatItTakesItRuns) {
  const SystemClock clock;
  const auto watched = [](std::function<void()> body) {
    return spawn_thread([body = std::move(body)] {
      const Watch on;
      body();
    });
  };
  for (const std::uint64_t count : {1, 4}) {
    std::uint64_t tried = 0;
    for (std::uint64_t asked = 1; tried < asked && !testing::Test::HasFailure(); ++tried) {
      Timer timer(clock);
      timer.start();
      const auto executor =
          std::make_shared<ThreadExecutor>(clock, timer,
                                           ThreadExecutorOptions{.max_threads = 4,
                                                                 .first_pause = milliseconds(1),
                                                                 .longest_pause = milliseconds(5),
                                                                 .spawner = watched});
      toolway::test::fail_allocations(tried + 1, count);
      for (int i = 0; i < 3; ++i) expect_runs(*executor);
      asked = toolway::test::allocations();
      toolway::test::fail_allocations(0, 0);
      EXPECT_FALSE(executor->starved());
      executor->stop(toolway::test::kPatience);
    }
    std::printf("%d allocations, each with the %d after it\n", static_cast<int>(tried),
                static_cast<int>(count - 1));
  }
}

}  // namespace
}  // namespace toolway::workers::threads
