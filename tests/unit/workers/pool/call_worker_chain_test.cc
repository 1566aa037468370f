#include "workers/pool/call_worker.h"

#include <thread>

#include "tests/support/sample_tools.h"
#include "tests/unit/workers/worker_bench.h"

namespace toolway::workers::pool {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Fault = test::FaultyBus::Fault;

class CallWorkerChain : public test::WorkerBench {};

TEST_F(CallWorkerChain, SaysStartAndEndOfAQuickIdempotentCallInOneEvent) {
  auto worker = this->worker(test::registry_of({}, test::returns(42)));
  submit(call());
  const auto event = completed();
  EXPECT_EQ(event.completed().result(), "42");
  EXPECT_TRUE(event.completed().merged_start());
  EXPECT_NE(event.completed().started_at_us(), 0);
  EXPECT_EQ(event.seq(), 2u);
  EXPECT_EQ(event.attempt(), 1u);
  expect_all_acked();
  EXPECT_EQ(worker->held(), 0u);
  EXPECT_EQ(stored_events(), 1u);
  EXPECT_EQ(
      metrics_->counter(monitoring::kCallsCompleted, {"test.tool", "native", "succeeded"}).value(),
      1);
}

TEST_F(CallWorkerChain, StoresStartedBeforeAToolThatIsNotIdempotentRuns) {
  const auto request = call();
  std::atomic<bool> started_was_there{false};
  auto worker =
      this->worker(test::registry_of({.idempotent = false},
                                     [&](const Json&, tools::model::ToolContext&,
                                         tools::model::Progress&) -> tools::model::Execution {
                                       const auto last = last_event(request);
                                       started_was_there = last && last->second.has_started();
                                       return Json(1);
                                     }));
  submit(request);
  const auto started = event();
  ASSERT_TRUE(started.has_started());
  const auto end = event();
  ASSERT_TRUE(end.has_completed());
  EXPECT_FALSE(end.completed().merged_start());
  EXPECT_EQ(end.seq(), 2u);
  EXPECT_TRUE(started_was_there);
  expect_all_acked();
}

TEST_F(CallWorkerChain, SaysThatASlowIdempotentCallHasStartedWhenTheWindowHasPassed) {
  test::Signal running, go;
  auto worker = this->worker(test::registry_of({}, test::waits(running, go)));
  submit(call());
  ASSERT_TRUE(running.wait());
  EXPECT_EQ(stored_events(), 0u);
  pass(*worker, milliseconds(2));
  EXPECT_TRUE(event().has_started());
  go.give();
  const auto end = event();
  EXPECT_FALSE(end.completed().merged_start());
  EXPECT_EQ(end.seq(), 2u);
  expect_all_acked();
}

TEST_F(CallWorkerChain, ALostPubAckDoesNotMakeASecondCompletion) {
  bus_.spoil({Fault::kLoseAck});
  auto worker = this->worker(test::registry_of({}, test::returns(1)));
  submit(call());
  ASSERT_TRUE(bus_.spoiled.next());
  EXPECT_EQ(worker->held(), 1u);
  pass(*worker, milliseconds(50));
  expect_all_acked();
  EXPECT_EQ(stored_events(), 1u);
  EXPECT_EQ(worker->held(), 0u);
}

TEST_F(CallWorkerChain, ACompletionThatTheBusNeverTakesIsReplaced) {
  bus_.spoil({Fault::kTooLarge});
  auto worker = this->worker(test::registry_of({}, test::returns("large")));
  submit(call());
  const auto end = completed();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_FAILED);
  EXPECT_EQ(end.completed().error().code(), "internal");
  expect_all_acked();
  EXPECT_EQ(worker->held(), 0u);
}

TEST_F(CallWorkerChain, PublishesAgainWhatWasNotSentAndWaitsLongerEachTime) {
  bus_.spoil({Fault::kNotSent, Fault::kNotSent});
  auto worker = this->worker(test::registry_of({}, test::returns(1)));
  submit(call());
  ASSERT_TRUE(bus_.spoiled.next());
  pass(*worker, milliseconds(50));
  ASSERT_TRUE(bus_.spoiled.next());
  pass(*worker, milliseconds(50));
  memory_->quiesce();
  EXPECT_EQ(stored_events(), 0u);
  pass(*worker, milliseconds(50));
  EXPECT_TRUE(completed().has_completed());
  expect_all_acked();
}

TEST_F(CallWorkerChain, APausedWorkerAddsNothingOnceAnotherHasTakenOver) {
  test::Signal running, go;
  auto paused =
      worker(test::registry_of({}, test::waits(running, go)), {.worker_id = "paused", .slots = 1});
  submit(call());
  ASSERT_TRUE(running.wait());
  pass(*paused, milliseconds(2));
  EXPECT_TRUE(event().has_started());

  auto other = worker(test::registry_of({}, test::returns("mine")), {.worker_id = "other"});
  bus_.cut_off("paused");
  memory_->expire_deliveries();
  const auto end = event();
  EXPECT_EQ(end.worker_id(), "other");
  EXPECT_EQ(end.attempt(), 2u);
  EXPECT_EQ(end.seq(), 3u);
  EXPECT_TRUE(end.completed().merged_start());

  go.give();
  paused->drain();
  memory_->quiesce();
  EXPECT_EQ(stored_events(), 2u);
  EXPECT_EQ(metrics_->counter(monitoring::kTakeovers).value(), 1);
  expect_all_acked();
}

TEST_F(CallWorkerChain, ACallThatComesAgainIsLeftToTheWorkerThatHasIt) {
  test::Signal running, go;
  const auto once = test::registry_of({.idempotent = false}, test::waits(running, go));
  auto first = worker(once, {.worker_id = "first", .slots = 1});
  submit(call());
  EXPECT_TRUE(event().has_started());
  ASSERT_TRUE(running.wait());

  auto other = worker(once, {.worker_id = "other"});
  memory_->expire_deliveries();  // as after a server that stood still: nothing was extended
  memory_->quiesce();
  EXPECT_EQ(other->held(), 0u);
  EXPECT_EQ(stored_events(), 1u);
  go.give();
  const auto end = event();
  EXPECT_EQ(end.worker_id(), "first");
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(metrics_->counter(monitoring::kTakeovers).value(), 0);
}

TEST_F(CallWorkerChain, AnotherPublicationOfACallThatRunsIsGivenBack) {
  test::Signal running, go;
  const auto once = test::registry_of({.idempotent = false}, test::waits(running, go));
  auto first = worker(once, {.worker_id = "first", .slots = 1});
  auto request = call();
  submit(request);
  EXPECT_TRUE(event().has_started());
  ASSERT_TRUE(running.wait());

  auto other = worker(once, {.worker_id = "other"});
  request.set_publication(1);
  submit(request);
  memory_->quiesce();
  EXPECT_EQ(other->held(), 0u);
  EXPECT_EQ(stored_events(), 1u);

  go.give();
  const auto end = event();
  EXPECT_EQ(end.worker_id(), "first");
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(end.attempt(), 1u);
}

TEST_F(CallWorkerChain, APausedWorkersCallThatMustNotRunTwiceIsUnknownWhateverItDoesWhenItWakes) {
  test::Signal running, go;
  std::atomic<int> runs{0};
  const auto once =
      test::registry_of({.idempotent = false},
                        [&, running, go](const Json&, tools::model::ToolContext&,
                                         tools::model::Progress&) -> tools::model::Execution {
                          ++runs;
                          running.give();
                          EXPECT_TRUE(go.wait());
                          return Json("late");
                        });
  auto paused = worker(once, {.worker_id = "paused", .slots = 1});
  submit(call());
  EXPECT_TRUE(event().has_started());
  ASSERT_TRUE(running.wait());

  auto other = worker(once, {.worker_id = "other"});
  bus_.cut_off("paused");
  memory_->expire_deliveries();
  const auto end = event();
  EXPECT_EQ(end.worker_id(), "other");
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_UNKNOWN);
  EXPECT_EQ(end.attempt(), 1u);

  go.give();  // it wakes up, and has a result
  paused->drain();
  memory_->quiesce();
  EXPECT_EQ(stored_events(), 2u);
  EXPECT_EQ(runs, 1);
  expect_all_acked();
}

TEST_F(CallWorkerChain, WhatIsNotIdempotentIsNotRunTwice) {
  const auto request = call();
  v1::CallEvent started;
  started.set_attempt(1);
  started.mutable_started();
  append(request, started);
  event();
  // Delivered once to a worker that is gone.
  toolway::test::Awaited<int> delivered;
  auto lost = memory_->pull({"CALLS", "native-normal-0"},
                            [note = delivered.callback()](bus::Delivery) { note(1); });
  lost->allow(1);
  submit(request);
  ASSERT_TRUE(delivered.next());
  lost->stop();
  std::atomic<int> runs{0};
  auto worker =
      this->worker(test::registry_of({.idempotent = false},
                                     [&](const Json&, tools::model::ToolContext&,
                                         tools::model::Progress&) -> tools::model::Execution {
                                       ++runs;
                                       return Json(1);
                                     }));
  memory_->expire_deliveries();
  const auto end = event();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_UNKNOWN);
  EXPECT_EQ(end.attempt(), 1u);
  EXPECT_EQ(end.seq(), 2u);
  EXPECT_EQ(runs, 0);
  expect_all_acked();
}

TEST_F(CallWorkerChain, ADeliveryOfACallItHoldsIsTheSameCall) {
  test::Signal running, go;
  std::atomic<int> runs{0};
  auto worker =
      this->worker(test::registry_of({},
                                     [&](const Json&, tools::model::ToolContext&,
                                         tools::model::Progress&) -> tools::model::Execution {
                                       ++runs;
                                       running.give();
                                       EXPECT_TRUE(go.wait());
                                       return Json(1);
                                     }),
                   {.slots = 4});
  submit(call());
  ASSERT_TRUE(running.wait());
  memory_->expire_deliveries();
  memory_->quiesce();
  EXPECT_EQ(worker->held(), 1u);
  go.give();
  EXPECT_EQ(completed().attempt(), 1u);
  expect_all_acked();
  EXPECT_EQ(runs, 1);
}

TEST_F(CallWorkerChain, AnotherAttemptsCompletionIsAcknowledgedAndNothingRuns) {
  const auto request = call();
  v1::CallEvent end;
  end.set_attempt(1);
  end.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
  append(request, end);
  std::atomic<int> runs{0};
  auto worker =
      this->worker(test::registry_of({.idempotent = false},
                                     [&](const Json&, tools::model::ToolContext&,
                                         tools::model::Progress&) -> tools::model::Execution {
                                       ++runs;
                                       return Json(1);
                                     }));
  submit(request);  // as after a crash of the server: delivery count 1
  expect_all_acked();
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(stored_events(), 1u);
  EXPECT_EQ(worker->held(), 0u);
}

TEST_F(CallWorkerChain, ACallCancelledBeforeItStartsNeverRuns) {
  const auto request = call();
  v1::CallEvent cancel;
  cancel.mutable_cancel_requested();
  append(request, cancel);
  event();
  std::atomic<int> runs{0};
  auto worker =
      this->worker(test::registry_of({.idempotent = false},
                                     [&](const Json&, tools::model::ToolContext&,
                                         tools::model::Progress&) -> tools::model::Execution {
                                       ++runs;
                                       return Json(1);
                                     }));
  submit(request);
  const auto end = event();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_CANCELLED);
  EXPECT_EQ(end.completed().started_at_us(), 0);
  EXPECT_EQ(end.seq(), 2u);
  EXPECT_EQ(runs, 0);
  expect_all_acked();
}

TEST_F(CallWorkerChain, ARunningCallMeetsItsCancellationAtItsNextEvent) {
  const auto request = call("hangs", "sample");
  auto worker = this->worker(tools::samples::sample_registry());
  submit(request);
  memory_->quiesce();
  while (stored_events() == 0) pass(*worker, milliseconds(2));
  EXPECT_TRUE(event().has_started());
  v1::CallEvent cancel;
  cancel.set_attempt(1);
  cancel.mutable_cancel_requested();
  append(request, cancel);
  EXPECT_TRUE(event().has_cancel_requested());
  pass(*worker, seconds(10));  // an Alive is due, and refused
  const auto end = completed();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_CANCELLED);
  expect_all_acked();
}

}  // namespace
}  // namespace toolway::workers::pool
