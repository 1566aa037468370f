// A worker whose machine has no thread left for its calls.
#include <deque>

#include "tests/unit/workers/worker_bench.h"
#include "workers/threads/job_executor.h"

namespace toolway::workers::pool {
namespace {

using std::chrono::seconds;

/// Has no thread but the test's, and none at all until it is told.
class ScarceExecutor final : public threads::JobExecutor {
 public:
  void submit(std::shared_ptr<threads::Job> job) override {
    const std::scoped_lock lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  void abandon() override {}
  void abandoned_returned() override {}
  void stop(std::chrono::milliseconds) override {
    const std::scoped_lock lock(mutex_);
    jobs_.clear();
  }
  std::size_t threads() const override { return 0; }
  bool starved() const override { return starved_; }

  void starve(bool starved) { starved_ = starved; }
  std::size_t run_all() {
    std::deque<std::shared_ptr<threads::Job>> jobs;
    {
      const std::scoped_lock lock(mutex_);
      jobs.swap(jobs_);
    }
    for (const auto& job : jobs) job->run();
    return jobs.size();
  }

 private:
  std::mutex mutex_;
  std::deque<std::shared_ptr<threads::Job>> jobs_;
  std::atomic<bool> starved_{false};
};

class CallWorkerShortage : public test::WorkerBench {
 protected:
  std::unique_ptr<CallWorker> worker(std::size_t slots) {
    auto started = CallWorker::start(bus_, *metrics_, test::registry_of({}, test::returns("ran")),
                                     clock_, {.slots = slots}, {TimePasses::kWhenTold, executor_});
    EXPECT_TRUE(started);
    return std::move(*started);
  }
  /// Threads are there again: the call that waits is taken, and completed.
  void expect_taken_after_the_shortage(CallWorker& worker) {
    executor_->starve(false);
    pass(worker, seconds(1));
    EXPECT_EQ(waiting(), 0U);
    EXPECT_EQ(executor_->run_all(), 1U);
    EXPECT_EQ(completed().completed().outcome(), v1::OUTCOME_SUCCEEDED);
    expect_all_acked();
  }
  /// How many calls no worker was given.
  std::uint64_t waiting() {
    memory_->quiesce();
    toolway::test::Awaited<Result<bus::ConsumerState>> answer;
    memory_->consumer_state({"CALLS", "native-normal-0"}, answer.callback());
    const auto state = answer.next();
    return state && *state ? (*state)->pending : 99;
  }

  const std::shared_ptr<ScarceExecutor> executor_ = std::make_shared<ScarceExecutor>();
};

TEST_F(CallWorkerShortage, AStarvedWorkerLeavesNewCallsToOthersAndTakesThemWhenItCan) {
  executor_->starve(true);
  const auto worker = this->worker(4);
  submit(call());
  pass(*worker, seconds(1));
  EXPECT_EQ(waiting(), 1U);
  EXPECT_EQ(worker->held(), 0U);
  expect_taken_after_the_shortage(*worker);
}

TEST_F(CallWorkerShortage, WhatItHoldsAlreadyIsLateAndNotLost) {
  const auto worker = this->worker(1);
  submit(call());
  EXPECT_EQ(waiting(), 0U);
  executor_->starve(true);
  submit(call());
  for (int i = 0; i < 30; ++i) pass(*worker, seconds(1));
  EXPECT_EQ(worker->held(), 1U);
  EXPECT_EQ(executor_->run_all(), 1U);  // a thread for this one, and none for another
  EXPECT_EQ(completed().completed().outcome(), v1::OUTCOME_SUCCEEDED);
  pass(*worker, seconds(1));
  EXPECT_EQ(waiting(), 1U);
  expect_taken_after_the_shortage(*worker);
}

}  // namespace
}  // namespace toolway::workers::pool
