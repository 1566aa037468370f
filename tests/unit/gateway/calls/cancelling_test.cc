#include "gateway/calls/cancel.h"

#include "gateway/calls/cancel_plan.h"
#include "gateway/calls/log_edit.h"

#include <gtest/gtest.h>

#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway::calls {
namespace {

using Kind = LogEditStep::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr MonotonicTime kBegun{seconds(100)};
const std::string kSession = "0123456789abcdef0123456789abcdef";
const std::string kCall = "0192a000-0000-7000-8000-000000000001";

LogEdit::Now at(milliseconds since_begun) {
  return {kBegun + since_begun, from_unix_us(5'000'000) + since_begun};
}

persistence::store::RecordedCall a_call(unsigned attempt) {
  persistence::store::RecordedCall call;
  call.call_id = kCall;
  call.session_key = kSession;
  call.attempt = attempt;
  return call;
}

KnownCall wanted(unsigned attempt = 0) { return KnownCall(a_call(attempt)); }

/// Before the collectors have recorded it.
KnownCall streamed(std::optional<WallTime> stored_at) { return KnownCall(a_call(0), stored_at); }

v1::CallEvent event_of(unsigned attempt, unsigned seq, const std::string& worker) {
  v1::CallEvent event;
  event.set_call_id(kCall);
  event.set_session_key(kSession);
  event.set_attempt(attempt);
  event.set_seq(seq);
  event.set_worker_id(worker);
  return event;
}

v1::CallEvent started() {
  auto event = event_of(1, 1, "w");
  event.mutable_started();
  return event;
}

v1::CallEvent cancel_requested(unsigned attempt, const std::string& worker) {
  auto event = event_of(attempt, 2, worker);
  event.mutable_cancel_requested();
  return event;
}

v1::CallEvent completed(v1::Outcome outcome) {
  auto event = event_of(1, 3, "w");
  event.mutable_completed()->set_outcome(outcome);
  return event;
}

bus::StoredMessage stored(const v1::CallEvent& event, std::uint64_t sequence) {
  return {.subject = {}, .payload = proto::encode(event), .sequence = sequence, .stored_at = {}};
}

bus::StreamState events_from(std::uint64_t first) {
  bus::StreamState state;
  state.first_sequence = first;
  return state;
}

v1::LookupAnswer known(const std::optional<v1::CallEvent>& last) {
  v1::LookupAnswer answer;
  answer.set_known(true);
  if (last) answer.set_last_event(proto::encode(*last));
  return answer;
}

tl::unexpected<Error> nothing() { return fail(ErrorCode::kNotFound, "no message"); }
tl::unexpected<Error> no_answer() { return fail(ErrorCode::kTimeout, "no answer"); }

v1::CallEvent event_in(const LogEditStep& step) {
  EXPECT_EQ(step.kind, Kind::kPublish);
  const auto event = proto::decode_event(step.publication.payload);
  return event ? *event : v1::CallEvent();
}

class CancellingTest : public testing::Test {
 protected:
  LogEdit cancelling(KnownCall call) {
    return calls::cancelling(std::move(call), "why", kBegun + LogEdit::kTimeLimit);
  }
};

TEST_F(CancellingTest, EndsACallThatNoWorkerBegan) {
  auto cancel = cancelling(wanted());
  EXPECT_EQ(cancel.begin(at({})).kind, Kind::kReadLog);
  EXPECT_EQ(cancel.subject(),
            proto::event_subject(*SessionKey::parse(kSession), *CallId::parse(kCall)));
  auto step = cancel.read(nothing(), at({}));
  const auto request = event_in(step);
  EXPECT_EQ(request.cancel_requested().reason(), "why");
  EXPECT_EQ(request.time_us(), to_unix_us(at({}).wall));
  EXPECT_EQ(step.publication.subject, cancel.subject());
  EXPECT_EQ(step.publication.expected_last, 0U);
  EXPECT_EQ(step.completes, v1::OUTCOME_UNSPECIFIED);
  EXPECT_EQ(cancel.published(bus::PubAck{.sequence = 4}, at({})).kind, Kind::kReadLog);
  step = cancel.read(stored(request, 4), at({}));
  EXPECT_TRUE(event_in(step).has_completed());
  EXPECT_EQ(step.publication.expected_last, 4U);
  EXPECT_EQ(step.completes, v1::OUTCOME_CANCELLED);
  EXPECT_EQ(cancel.published(bus::PubAck{.sequence = 5}, at({})).kind, Kind::kReadLog);
  step = cancel.read(stored(completed(v1::OUTCOME_CANCELLED), 5), at({}));
  EXPECT_EQ(step.kind, Kind::kDone);
  EXPECT_EQ(step.cancellation.state, Cancellation::State::kCancelled);
  EXPECT_EQ(step.cancellation.call_id, kCall);
}

TEST_F(CancellingTest, OfACallThatIsKnownToHaveEndedAsksNothing) {
  auto call = wanted(1);
  call.call.completion = completed(v1::OUTCOME_FAILED);
  const auto step = cancelling(call).begin(at({}));
  EXPECT_EQ(step.kind, Kind::kDone);
  EXPECT_EQ(step.cancellation.state, Cancellation::State::kCompleted);
  EXPECT_EQ(step.cancellation.outcome, v1::OUTCOME_FAILED);
}

TEST_F(CancellingTest, ReadsAgainWhatAnotherWriterHasAdded) {
  auto cancel = cancelling(wanted());
  cancel.begin(at({}));
  event_in(cancel.read(nothing(), at({})));
  EXPECT_EQ(cancel.published(fail(ErrorCode::kWrongLastSequence, "moved on"), at({})).kind,
            Kind::kReadLog);
  const auto step = cancel.read(stored(started(), 6), at({}));
  EXPECT_EQ(event_in(step).worker_id(), "w");
  EXPECT_EQ(step.publication.expected_last, 6U);
}

TEST_F(CancellingTest, TellsTheWorkerUntilItAnswers) {
  auto cancel = cancelling(wanted(1));
  cancel.begin(at({}));
  auto step = cancel.read(stored(cancel_requested(1, "w"), 6), at({}));
  EXPECT_EQ(step.kind, Kind::kTell);
  EXPECT_EQ(step.worker, "w");
  EXPECT_EQ(cancel.request().call_id(), kCall);
  step = cancel.told(no_answer(), at({}));
  EXPECT_EQ(step.kind, Kind::kPause);
  EXPECT_EQ(step.delay, LogEdit::kTellRetryDelay);
  EXPECT_EQ(cancel.resumed(at(milliseconds(100))).kind, Kind::kTell);
  v1::ControlAnswer answer;
  answer.set_held(true);
  step = cancel.told(answer.SerializeAsString(), at(milliseconds(100)));
  EXPECT_EQ(step.kind, Kind::kDone);
  EXPECT_EQ(step.cancellation.worker, Cancellation::Worker::kTold);
  EXPECT_EQ(step.cancellation.state, Cancellation::State::kCancelling);
  answer.set_held(false);
  step = cancel.told(answer.SerializeAsString(), at(milliseconds(100)));
  EXPECT_EQ(step.cancellation.worker, Cancellation::Worker::kNotHeld);
}

TEST_F(CancellingTest, TellsNoWorkerWhoseAnswerWouldComeTooLate) {
  auto cancel = cancelling(wanted(1));
  cancel.begin(at({}));
  cancel.read(stored(cancel_requested(1, "w"), 6), at({}));
  cancel.told(no_answer(), at({}));
  const auto step = cancel.resumed(at(milliseconds(601)));
  EXPECT_EQ(step.kind, Kind::kDone);
  EXPECT_EQ(step.cancellation.worker, Cancellation::Worker::kNotReached);
}

TEST_F(CancellingTest, ReadsAgainAfterAnErrorUntilItsDeadline) {
  auto cancel = cancelling(wanted());
  cancel.begin(at({}));
  auto step = cancel.read(no_answer(), at({}));
  EXPECT_EQ(step.kind, Kind::kPause);
  EXPECT_EQ(step.delay, LogEdit::kRetryDelay);
  EXPECT_EQ(cancel.resumed(at(milliseconds(999))).kind, Kind::kReadLog);
  EXPECT_EQ(cancel.read(no_answer(), at(milliseconds(999))).kind, Kind::kPause);
  step = cancel.resumed(at(seconds(1)));
  EXPECT_EQ(step.kind, Kind::kFailed);
  EXPECT_EQ(step.error->code, ErrorCode::kTimeout);
}

TEST_F(CancellingTest, AsksTheCollectorsForACallWhoseEventsLeftTheStream) {
  auto cancel = cancelling(wanted(1));
  cancel.begin(at({}));
  EXPECT_EQ(cancel.read(nothing(), at({})).kind, Kind::kLookUp);
  const auto step = cancel.looked_up(known(started()), at({}));
  EXPECT_EQ(event_in(step).seq(), 2U);
  EXPECT_EQ(step.publication.expected_last, 0U);
}

TEST_F(CancellingTest, NeedsACollectorForThat) {
  auto cancel = cancelling(wanted(1));
  cancel.begin(at({}));
  cancel.read(nothing(), at({}));
  EXPECT_EQ(cancel.looked_up(nothing(), at({})).kind, Kind::kPause);
  const auto step = cancel.resumed(at(seconds(1)));
  EXPECT_EQ(step.kind, Kind::kFailed);
  EXPECT_EQ(step.error->code, ErrorCode::kCollectorBehind);
}

TEST_F(CancellingTest, OfACallThatIsNotRecordedNeedsAllItsEventsInTheStream) {
  const auto stored_at = from_unix_us(1000);
  auto cancel = cancelling(streamed(stored_at));
  cancel.begin(at({}));
  EXPECT_EQ(cancel.read(nothing(), at({})).kind, Kind::kReadWindow);
  EXPECT_EQ(cancel.window(events_from(1), at({})).kind, Kind::kPublish);
  const auto step = cancel.window(events_from(7), at({}));
  EXPECT_EQ(step.kind, Kind::kReadOldest);
  EXPECT_EQ(step.sequence, 7U);
  auto first = stored(started(), 7);
  first.stored_at = stored_at;
  EXPECT_EQ(cancel.oldest(first, at({})).kind, Kind::kPublish);
  first.stored_at = stored_at + milliseconds(1);
  EXPECT_EQ(cancel.oldest(first, at({})).kind, Kind::kLookUp);
  EXPECT_EQ(cancel.oldest(nothing(), at({})).kind, Kind::kLookUp);
  EXPECT_EQ(cancel.oldest(no_answer(), at({})).kind, Kind::kPause);
  // Recorded by now, without an event, or not yet: only the former would say that it has none.
  EXPECT_EQ(cancel.looked_up(known(std::nullopt), at({})).kind, Kind::kPause);
  EXPECT_EQ(cancel.looked_up(known(cancel_requested(0, "")), at({})).kind, Kind::kPublish);
}

TEST_F(CancellingTest, OfACallOfWhichOnlyAnEventWasFoundAsksTheCollectors) {
  auto cancel = cancelling(streamed(std::nullopt));
  cancel.begin(at({}));
  EXPECT_EQ(cancel.read(nothing(), at({})).kind, Kind::kLookUp);
}

TEST_F(CancellingTest, WritesNothingOnTheWordOfALogReadLongAgo) {
  auto cancel = calls::cancelling(wanted(), "why", kBegun + seconds(60));
  cancel.begin(at({}));
  EXPECT_EQ(cancel.read(nothing(), at(LogEdit::kEndHolds)).kind, Kind::kReadLog);
  EXPECT_EQ(cancel.read(nothing(), at(LogEdit::kEndHolds)).kind, Kind::kPublish);
}

TEST_F(CancellingTest, OfAGatewayThatSleptPastItsDeadlineFails) {
  auto cancel = cancelling(wanted());
  cancel.begin(at({}));
  EXPECT_EQ(cancel.read(nothing(), at(LogEdit::kEndHolds)).kind, Kind::kFailed);
}

}  // namespace
}  // namespace toolway::gateway::calls
