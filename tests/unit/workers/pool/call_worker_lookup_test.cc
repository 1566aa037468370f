#include "tests/unit/workers/worker_bench.h"

namespace toolway::workers::pool {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// Calls that are older than what stream EVENTS holds.
class CallWorkerLookup : public test::WorkerBench {
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
    served_ = std::move(*memory_->serve(std::string(proto::kLookupSubject), "collectors",
                                        [until, last_event](bus::Request request) {
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
  auto worker = this->worker(test::registry_of({.idempotent = false}, test::returns(1)));
  EXPECT_TRUE(event().has_started());
  const auto end = event();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(end.attempt(), 1u);
  expect_all_acked();
}

TEST_F(CallWorkerLookup, ACallIsGivenBackWhileNoProcessKnows) {
  for (const bool answers : {false, true}) {
    old_call();
    // Recorded is only what came before the window.
    if (answers) collectors_say(clock_.wall() - minutes(1), "");
    std::atomic<int> runs{0};
    auto worker =
        this->worker(test::registry_of({},
                                       [&](const Json&, tools::model::ToolContext&,
                                           tools::model::Progress&) -> tools::model::Execution {
                                         ++runs;
                                         return Json(1);
                                       }));
    memory_->quiesce();
    EXPECT_EQ(worker->held(), 0u);
    EXPECT_EQ(stored_events(), 0u);
    EXPECT_EQ(runs, 0);
  }
}

/// Its first message is long gone, and so are its events: only the collectors know that it ran.
TEST_F(CallWorkerLookup, ACallThatIsPublishedAgainLongAfterItRanDoesNotRunAgain) {
  std::atomic<int> runs{0};
  const auto counts = [&](const Json&, tools::model::ToolContext&,
                          tools::model::Progress&) -> tools::model::Execution {
    ++runs;
    return Json(1);
  };
  const auto worker = this->worker(test::registry_of({.idempotent = false}, counts));
  auto request = call();
  submit(request);
  const auto ended = completed();
  clock_.advance(minutes(10));
  std::vector<std::pair<std::uint32_t, WallTime>> again{
      {0, clock_.wall()},          // by a gateway that does not say that it repeats itself
      {1'000'000, clock_.wall()},  // by a gateway, under an Idempotency-Key
      {1000, clock_.wall() -
                 minutes(9)}  // by the reaper, while EVENTS seems to begin well before this message
  };
  collectors_say(clock_.wall() + minutes(1), proto::encode(ended));
  for (const auto& [publication, begins] : again) {
    bus_.forget_events_before(begins);
    bus_.lose_events(true);
    request.set_publication(publication);
    submit(request);
    memory_->quiesce();
    EXPECT_EQ(worker->held(), 0u) << publication;
  }
  expect_all_acked();
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(stored_events(), 2u);
}

TEST_F(CallWorkerLookup, WhatHadStartedIsUnknownHoweverYoungItsNewestMessageIs) {
  auto request = call();
  clock_.advance(minutes(10));
  bus_.forget_events_before(clock_.wall() - minutes(5));
  collectors_say(clock_.wall(), started(request));
  request.set_publication(1001);
  submit(request);
  auto worker = this->worker(test::registry_of({.idempotent = false}, test::returns(1)));
  const auto end = event();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_UNKNOWN);
  EXPECT_EQ(end.seq(), 2u);
  expect_all_acked();
}

TEST_F(CallWorkerLookup, ARetryContinuesCountingBeyondTheWindow) {
  auto request = call();
  clock_.advance(minutes(10));
  bus_.forget_events_before(clock_.wall() - minutes(5));
  v1::CallEvent failed = *proto::decode_event(started(request));
  failed.set_seq(2);
  failed.set_failures(1);
  failed.mutable_retry_at()->set_at_us(to_unix_us(clock_.wall() - seconds(1)));
  collectors_say(clock_.wall(), proto::encode(failed));
  request.set_publication(1);
  submit(request);
  const tools::model::RetryPolicy twice{.max_attempts = 2, .codes = {"flaky"}};
  auto worker =
      this->worker(test::registry_of({.idempotent = false, .retry = twice},
                                     [](const Json&, tools::model::ToolContext& context,
                                        tools::model::Progress&) -> tools::model::Execution {
                                       EXPECT_EQ(context.attempt(), 2u);
                                       return test::failure("flaky");
                                     }));
  const auto again = event();
  EXPECT_TRUE(again.has_started());
  EXPECT_EQ(again.seq(), 3u);
  EXPECT_EQ(again.attempt(), 2u);
  const auto end = event();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_FAILED) << "two attempts are all it has";
  EXPECT_EQ(end.failures(), 1u);
  expect_all_acked();
}

/// It could not say so for longer than the window holds, and another worker completed it.
TEST_F(CallWorkerLookup, ACompletionThatFollowsNothingIsNotRepeatedBlindly) {
  bus_.spoil({test::FaultyBus::Fault::kNotSent, test::FaultyBus::Fault::kNotSent});
  const auto request = call();
  auto worker = this->worker(test::registry_of({}, test::returns(1)));
  submit(request);
  ASSERT_TRUE(bus_.spoiled.next());
  v1::CallEvent ended = *proto::decode_event(started(request));
  ended.set_seq(2);
  ended.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
  bus_.forget_events_before(clock_.wall() + minutes(1));
  collectors_say(clock_.wall(), proto::encode(ended));
  for (int i = 0; i < 3 && worker->held() > 0; ++i) {
    pass(*worker, minutes(2));
    memory_->quiesce();
  }
  EXPECT_EQ(worker->held(), 0u);
  EXPECT_EQ(stored_events(), 0u);
  expect_all_acked();
}

TEST_F(CallWorkerLookup, WhatIsInTheStreamAfterAllIsReadThere) {
  // Stored between the look at the stream and the collectors' answer.
  auto request = call();
  request.set_publication(1001);
  clock_.advance(minutes(10));
  bus_.forget_events_before(clock_.wall() - minutes(5));
  served_ = std::move(*memory_->serve(
      std::string(proto::kLookupSubject), "collectors", [this, request](bus::Request question) {
        v1::CallEvent other = *proto::decode_event(started(request));
        other.set_call_sequence(77);
        other.mutable_alive();
        memory_->publish(
            {.subject = subject(request), .payload = proto::encode(other), .expected_last = 0},
            [](const Result<bus::PubAck>&) {});
        v1::LookupAnswer answer;
        answer.set_recorded_until_us(to_unix_us(clock_.wall()));
        answer.set_last_event(proto::encode(other));
        answer.set_sequence(150);
        question.answer(answer.SerializeAsString());
      }));
  submit(request);
  auto worker = this->worker(test::registry_of({.idempotent = false}, test::returns(1)));
  memory_->quiesce();
  EXPECT_EQ(worker->held(), 0u) << "given back: that worker lives";
  EXPECT_EQ(stored_events(), 1u);
}

TEST_F(CallWorkerLookup, WhatHasEndedIsAcknowledged) {
  const auto request = old_call();
  v1::CallEvent ended = *proto::decode_event(started(request));
  ended.set_seq(2);
  ended.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
  collectors_say(clock_.wall(), proto::encode(ended));
  auto worker = this->worker(test::registry_of({}, test::returns(1)));
  expect_all_acked();
  EXPECT_EQ(stored_events(), 0u);
}

TEST_F(CallWorkerLookup, WhatHadStartedContinuesAfterItsRecordedEvent) {
  const auto request = old_call();
  collectors_say(clock_.wall(), started(request));
  auto worker = this->worker(test::registry_of({}, test::returns(1)));
  const auto end = event();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(end.attempt(), 2u);
  EXPECT_EQ(end.seq(), 3u);
  expect_all_acked();
}

TEST_F(CallWorkerLookup, WhatHadStartedAndMustNotRunTwiceIsUnknown) {
  const auto request = old_call();
  collectors_say(clock_.wall(), started(request));
  auto worker = this->worker(test::registry_of({.idempotent = false}, test::returns(1)));
  const auto end = event();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_UNKNOWN);
  EXPECT_EQ(end.attempt(), 1u);
  EXPECT_EQ(end.seq(), 2u);
  expect_all_acked();
}

}  // namespace
}  // namespace toolway::workers::pool
