#include "workers/threads/thread_executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <thread>

#include "tests/support/awaiting.h"

namespace toolway::workers::threads {
namespace {

using std::chrono::milliseconds;

class Work final : public Job {
 public:
  explicit Work(std::function<void()> work) : work_(std::move(work)) {}
  void run() override { work_(); }
  bool quick() const override { return false; }
  bool native() const override { return true; }

 private:
  const std::function<void()> work_;
};

class ThreadExecutorTest : public testing::Test {
 protected:
  ThreadExecutorTest() { timer_.start(); }
  ~ThreadExecutorTest() override {
    executor_->stop(toolway::test::kPatience);
    timer_.stop();
  }
  void submit(std::function<void()> work) {
    executor_->submit(std::make_shared<Work>(std::move(work)));
  }

  const SystemClock clock_;
  Timer timer_{clock_};
  const std::shared_ptr<ThreadExecutor> executor_ = std::make_shared<ThreadExecutor>(
      clock_, timer_, ThreadExecutorOptions{.max_threads = 16, .idle_timeout = milliseconds(200)});
};

TEST_F(ThreadExecutorTest, ThreadsThatAStallHasMadeEndThoughWorkContinues) {
  constexpr int kAtOnce = 16;
  std::latch all(kAtOnce);
  for (int i = 0; i < kAtOnce; ++i) submit([&all] { all.arrive_and_wait(); });
  all.wait();
  EXPECT_EQ(executor_->threads(), static_cast<std::size_t>(kAtOnce));
  // One after the other, and so often that each of sixteen threads in turn would be asked well
  // within its idle time.
  const auto deadline = clock_.monotonic() + toolway::test::kPatience;
  while (executor_->threads() > 2 && clock_.monotonic() < deadline) {
    toolway::test::Awaited<int> done;
    submit([answer = done.callback()] { answer(0); });
    ASSERT_TRUE(done.next());
  }
  EXPECT_LE(executor_->threads(), 2U);
}

TEST_F(ThreadExecutorTest, OneMoreJobThanIdleThreadsWaitsForNoneOfThem) {
  for (int count = 1; count <= 16; ++count) {
    const auto all = std::make_shared<std::latch>(count);
    for (int i = 0; i < count; ++i) submit([all] { all->arrive_and_wait(); });
    const auto deadline = clock_.monotonic() + toolway::test::kPatience;
    while (!all->try_wait() && clock_.monotonic() < deadline) std::this_thread::yield();
    ASSERT_TRUE(all->try_wait()) << count << " jobs that need each other";
    // Until no look at the queue is due any more, which would hide that none is arranged.
    std::this_thread::sleep_for(milliseconds(10));
  }
}

TEST_F(ThreadExecutorTest, RunsEverythingThatManyThreadsGiveIt) {
  constexpr int kEach = 2000;
  std::atomic<int> ran = 0;
  std::vector<std::jthread> givers;
  for (int giver = 0; giver < 4; ++giver) {
    givers.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) submit([&] { ++ran; });
    });
  }
  givers.clear();
  const auto deadline = clock_.monotonic() + toolway::test::kPatience;
  while (ran < 4 * kEach && clock_.monotonic() < deadline) std::this_thread::yield();
  EXPECT_EQ(ran, 4 * kEach);
}

/// A system that may have no thread to give.
class ScarceThreads {
 public:
  Spawner spawner() {
    return [this](std::function<void()> body) {
      ++asked_;
      int left = left_.load();
      while (left > 0 && !left_.compare_exchange_weak(left, left - 1)) {
      }
      return left > 0 && spawn_thread(std::move(body));
    };
  }
  void give(int threads) { left_ += threads; }
  int asked() const { return asked_; }

 private:
  std::atomic<int> left_ = 0;
  std::atomic<int> asked_ = 0;
};

class ShortOfThreads : public testing::Test {
 protected:
  ShortOfThreads() { timer_.start(); }
  ~ShortOfThreads() override {
    threads_.give(100);
    executor_->stop(toolway::test::kPatience);
    timer_.stop();
  }
  void submit(std::function<void()> work) {
    executor_->submit(std::make_shared<Work>(std::move(work)));
  }

  const SystemClock clock_;
  Timer timer_{clock_};
  ScarceThreads threads_;
  const std::shared_ptr<ThreadExecutor> executor_ =
      std::make_shared<ThreadExecutor>(clock_, timer_,
                                       ThreadExecutorOptions{.max_threads = 16,
                                                             .first_pause = milliseconds(5),
                                                             .longest_pause = milliseconds(20),
                                                             .spawner = threads_.spawner()});
};

TEST_F(ShortOfThreads, WithoutTheFirstThreadJobsWaitUntilThereIsOne) {
  toolway::test::Awaited<int> ran;
  submit([answer = ran.callback()] { answer(1); });
  EXPECT_TRUE(executor_->starved());
  while (threads_.asked() < 5) std::this_thread::yield();  // it tries again by itself
  EXPECT_EQ(executor_->threads(), 0U);
  threads_.give(1);
  EXPECT_EQ(ran.next(), 1);
  EXPECT_FALSE(executor_->starved());
}

TEST_F(ShortOfThreads, WhatIsThereWorksOffTheQueue) {
  threads_.give(2);
  constexpr int kJobs = 40;
  std::atomic<int> ran = 0;
  for (int i = 0; i < kJobs; ++i) {
    submit([&ran] {
      std::this_thread::sleep_for(milliseconds(3));  // long enough that more threads are wanted
      ++ran;
    });
  }
  const auto deadline = clock_.monotonic() + toolway::test::kPatience;
  while (ran < kJobs && clock_.monotonic() < deadline) std::this_thread::yield();
  EXPECT_EQ(ran, kJobs);
  EXPECT_LE(executor_->threads(), 2U);
  while (executor_->starved() && clock_.monotonic() < deadline) std::this_thread::yield();
  EXPECT_FALSE(executor_->starved()) << "nothing waits any more";
}

TEST_F(ShortOfThreads, NothingIsShortWhileTheLastJobRuns) {
  threads_.give(1);
  toolway::test::Awaited<int> begun;
  const auto first = std::make_shared<std::latch>(1);
  const auto last = std::make_shared<std::latch>(1);
  submit([first, begun = begun.callback()] { begun(1), first->wait(); });
  submit([last, begun = begun.callback()] { begun(2), last->wait(); });
  EXPECT_EQ(begun.next(), 1);
  while (!executor_->starved()) std::this_thread::yield();  // there is no second thread
  first->count_down();
  EXPECT_EQ(begun.next(), 2);
  EXPECT_FALSE(executor_->starved());
  last->count_down();
}

TEST_F(ShortOfThreads, AJobAfterAnAbandonedOneWaitsForAThreadToo) {
  threads_.give(1);
  toolway::test::Awaited<bool> begun;
  const auto end =
      std::make_shared<std::latch>(1);  // the job may still look at it when this test has returned
  toolway::test::Awaited<bool> returned;
  submit([this, end, begun = begun.callback(), returned = returned.callback()] {
    begun(true);
    end->wait();
    executor_->abandoned_returned();
    returned(true);
  });
  EXPECT_TRUE(begun.next());
  toolway::test::Awaited<int> ran;
  submit([answer = ran.callback()] { answer(1); });
  executor_->abandon();
  threads_.give(1);
  EXPECT_EQ(ran.next(), 1);
  end->count_down();
  EXPECT_TRUE(returned.next()) << "what it uses is gone with this test";
}

TEST_F(ShortOfThreads, ItIsNotAskedForAThreadWithEachJob) {
  for (int i = 0; i < 1000; ++i) submit([] {});
  EXPECT_LT(threads_.asked(), 100);
  threads_.give(1);
}

TEST_F(ThreadExecutorTest, MemoryThatIsUsedUpEndsAJobAndNotTheProcess) {
  submit([] { throw std::bad_alloc(); });
  toolway::test::Awaited<int> ran;
  submit([answer = ran.callback()] { answer(1); });
  EXPECT_EQ(ran.next(), 1);
}

}  // namespace
}  // namespace toolway::workers::threads
