#include "tests/unit/workers/worker_bench.h"

namespace toolway::workers::test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// Calls that are older than what stream EVENTS holds.
class CallWorkerLookup : public WorkerBench {
 protected:
  v1::CallRequest old_call() {
    const auto request = call();
    submit(request);
    clock_.advance(minutes(10));
    bus_.forget_events_before(clock_.wall());
    return request;
  }
  /// Answers as a collector that has recorded everything until `until`.
  void collectors_say(WallTime until, std::string last_event) {
    served_ = std::move(*memory_->serve(
        std::string(proto::kLookupSubject), "collectors", [until, last_event](bus::Request request) {
          v1::LookupAnswer answer;
          answer.set_recorded_until_us(to_unix_us(until));
          answer.set_known(true);
          answer.set_last_event(last_event);
          request.answer(answer.SerializeAsString());
        }));
  }
  std::string started(const v1::CallRequest& request) {
    v1::CallEvent event;
    event.set_call_id(request.call_id());
    event.set_session_key(request.session_key());
    event.set_seq(1);
    event.set_attempt(1);
    event.mutable_started();
    return proto::encode(event);
  }
  std::unique_ptr<bus::Subscription> served_;
};

TEST_F(CallWorkerLookup, ACallThatHasNoEventsStartsWhenAllThatWasForgottenIsRecorded) {
  old_call();
  collectors_say(clock_.wall() + minutes(1), "");
  auto worker = this->worker(registry_of({.idempotent = false}, returns(1)));
  EXPECT_TRUE(event().has_started());
  const auto end = event();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(end.attempt(), 1u);
  expect_all_acked();
}

TEST_F(CallWorkerLookup, ACallIsGivenBackWhileNobodyKnows) {
  for (const bool answers : {false, true}) {
    old_call();
    // Recorded is only what came before the window.
    if (answers) collectors_say(clock_.wall() - minutes(1), "");
    std::atomic<int> runs{0};
    auto worker = this->worker(registry_of({}, [&](const Json&, tools::ToolContext&, tools::Progress&) -> tools::Execution {
      ++runs;
      return Json(1);
    }));
    memory_->quiesce();
    EXPECT_EQ(worker->held(), 0u);
    EXPECT_EQ(stored_events(), 0u);
    EXPECT_EQ(runs, 0);
  }
}

TEST_F(CallWorkerLookup, WhatHasEndedIsAcknowledged) {
  const auto request = old_call();
  v1::CallEvent ended = *proto::decode_event(started(request));
  ended.set_seq(2);
  ended.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
  collectors_say(clock_.wall(), proto::encode(ended));
  auto worker = this->worker(registry_of({}, returns(1)));
  expect_all_acked();
  EXPECT_EQ(stored_events(), 0u);
}

TEST_F(CallWorkerLookup, WhatHadStartedGoesOnBehindItsRecordedEvent) {
  const auto request = old_call();
  collectors_say(clock_.wall(), started(request));
  auto worker = this->worker(registry_of({}, returns(1)));
  const auto end = event();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(end.attempt(), 2u);
  EXPECT_EQ(end.seq(), 3u);
  expect_all_acked();
}

TEST_F(CallWorkerLookup, WhatHadStartedAndMustNotRunTwiceIsUnknown) {
  const auto request = old_call();
  collectors_say(clock_.wall(), started(request));
  auto worker = this->worker(registry_of({.idempotent = false}, returns(1)));
  const auto end = event();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_UNKNOWN);
  EXPECT_EQ(end.attempt(), 1u);
  EXPECT_EQ(end.seq(), 2u);
  expect_all_acked();
}

}  // namespace
}  // namespace toolway::workers::test
