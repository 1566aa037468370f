#include "monitoring/metric_names.h"
#include "tests/unit/workers/worker_bench.h"

namespace toolway::workers::pool {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class CallWorkerCancel : public test::WorkerBench {};

TEST_F(CallWorkerCancel, ARunningCallIsLookedAtWhenItsWorkerIsAskedAndStops) {
  const auto request = call();
  test::Signal running;
  auto worker = this->worker(test::registry_of({.idempotent = false}, test::obeys(running)),
                             {.worker_id = "w1"});
  submit(request);
  EXPECT_TRUE(event().has_started());
  ASSERT_TRUE(running.wait());
  const auto answer = cancel(request, "w1");
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->held());
  EXPECT_EQ(answer->phase(), "running");
  EXPECT_TRUE(event().has_cancel_requested());
  const auto end = event();  // no time has passed
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_CANCELLED);
  EXPECT_EQ(end.completed().stop(), v1::STOP_COOPERATIVE);
  EXPECT_EQ(end.seq(), 3u);
  EXPECT_EQ(end.attempt(), 1u);
  expect_all_acked();
  EXPECT_EQ(metrics_
                ->counter(monitoring::kAttemptErrors,
                          {{"tool", "test.tool"}, {"pool", "native"}, {"code", "cancelled"}})
                .value(),
            1);
}

TEST_F(CallWorkerCancel, SaysWhenAnExecutorHadToUseForce) {
  const auto request = call();
  test::Signal running;
  auto worker = this->worker(
      test::registry_of({.idempotent = false},
                        [&](const Json& arguments, tools::model::ToolContext& context,
                            tools::model::Progress& progress) -> tools::model::Execution {
                          auto result = test::obeys(running)(arguments, context, progress);
                          context.ended_by_force();
                          return result;
                        }),
      {.worker_id = "w1"});
  submit(request);
  EXPECT_TRUE(event().has_started());
  ASSERT_TRUE(running.wait());
  ASSERT_TRUE(cancel(request, "w1"));
  EXPECT_EQ(completed().completed().stop(), v1::STOP_SIGNALLED);
}

TEST_F(CallWorkerCancel, SaysWhenTheToolDidNotReturn) {
  const auto request = call();
  test::Signal running, go;
  auto worker = this->worker(test::registry_of({.idempotent = false}, test::waits(running, go)),
                             {.worker_id = "w1"});
  submit(request);
  EXPECT_TRUE(event().has_started());
  ASSERT_TRUE(running.wait());
  ASSERT_TRUE(cancel(request, "w1"));
  memory_->quiesce();
  pass(*worker, seconds(2));
  const auto end = completed();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_CANCELLED);
  EXPECT_EQ(end.completed().stop(), v1::STOP_ABANDONED);
  expect_all_acked();
  EXPECT_EQ(worker->held(), 0u);
  go.give();
}

TEST_F(CallWorkerCancel, ACallThatWaitsForAThreadNeverStarts) {
  test::Signal running, go;
  auto worker = this->worker(test::registry_of({}, test::waits(running, go)),
                             {.worker_id = "w1", .slots = 2});
  submit(call());
  ASSERT_TRUE(running.wait());
  const auto waiting = call();
  submit(waiting);
  memory_->quiesce();
  const auto answer = cancel(waiting, "w1");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->phase(), "queued");
  const auto end = completed();
  EXPECT_EQ(end.call_id(), waiting.call_id());
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_CANCELLED);
  EXPECT_EQ(end.completed().started_at_us(), 0);
  EXPECT_EQ(end.completed().stop(), v1::STOP_UNSPECIFIED);
  go.give();
  completed();
  expect_all_acked();
}

TEST_F(CallWorkerCancel, AWorkerSaysWhenItDoesNotHoldACall) {
  auto worker = this->worker(test::registry_of({}, test::returns(1)), {.worker_id = "w1"});
  const auto answer = cancel(call(), "w1");
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->held());
}

TEST_F(CallWorkerCancel, WhatWasNotCompletedIsCompletedWhenItComesAgain) {
  auto request = call();
  v1::CallEvent asked;
  asked.mutable_cancel_requested();
  append(request, asked);
  event();
  request.set_publication(1000);
  auto worker = this->worker(test::registry_of({}, test::returns(1)));
  submit(request);
  const auto end = event();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_CANCELLED);
  EXPECT_EQ(end.attempt(), 0u);
  EXPECT_EQ(end.seq(), 2u);
  expect_all_acked();
}

TEST_F(CallWorkerCancel, ACancellationEndsTheWaitForAnotherAttempt) {
  auto request = call();
  v1::CallEvent event;
  event.set_attempt(1);
  event.set_failures(1);
  event.mutable_retry_at()->set_at_us(to_unix_us(clock_.wall() + seconds(3)));
  append(request, event);
  this->event();
  v1::CallEvent asked;
  asked.set_attempt(1);
  asked.mutable_cancel_requested();
  append(request, asked);
  this->event();
  request.set_publication(1);
  auto worker = this->worker(test::registry_of({.idempotent = false}, test::returns(1)));
  submit(request);
  const auto end = this->event();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_CANCELLED);
  EXPECT_EQ(end.attempt(), 1u);
  EXPECT_EQ(end.seq(), 3u);
  expect_all_acked();
}

TEST_F(CallWorkerCancel, AWorkerWithANameThatIsNotATokenIsRefused) {
  const auto started = CallWorker::start(bus_, *metrics_, test::registry_of({}, test::returns(1)),
                                         clock_, {.worker_id = "two words"}, TimePasses::kWhenTold);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::kInvalidIdentifier);
}

}  // namespace
}  // namespace toolway::workers::pool
