#include "gateway/calls/cancelling.h"

#include <utility>

#include "gateway/calls/cancel_plan.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway::calls {

Cancelling::Cancelling(ToCancel wanted, std::string reason, MonotonicTime deadline)
    : wanted_(std::move(wanted)),
      reason_(std::move(reason)),
      deadline_(deadline),
      last_error_{ErrorCode::kBusUnavailable,
                  "the call's log changed faster than a cancellation could be written to it"} {}

CancelStep Cancelling::begin(Now now) {
  const auto session = SessionKey::parse(call().session_key);
  const auto id = CallId::parse(call().call_id);
  if (!session || !id) {
    return {.kind = Kind::kFailed, .error = Error{ErrorCode::kInternal, "a call without its ids"}};
  }
  subject_ = proto::event_subject(*session, *id);
  if (call().completion) return ended(call().completion->completed().outcome());
  asked_ = now.monotonic;
  return {.kind = Kind::kReadLog};
}

CancelStep Cancelling::read(Result<bus::StoredMessage> last, Now now) {
  if (last) {
    auto event = proto::decode_event(last->payload);
    if (!event) return met(fail(std::move(event.error())), now);
    return met(LogEnd{std::move(*event), last->sequence}, now);
  }
  if (last.error().code != ErrorCode::kNotFound) return met(fail(std::move(last.error())), now);
  const bool began = call().attempt > 0 || call().completion;
  if (!began && wanted_.recorded) return met(LogEnd{}, now);
  return {.kind = !began && wanted_.stored_at ? Kind::kReadWindow : Kind::kLookUp};
}

// Whether EVENTS still has every event of a call that CALLS stored at a time. Both times are by the
// server's clock.

CancelStep Cancelling::window(Result<bus::StreamState> state, Now now) {
  if (!state) return met(fail(std::move(state.error())), now);
  if (state->first_sequence <= 1) return met(LogEnd{}, now);  // nothing was discarded
  return {.kind = Kind::kReadOldest, .sequence = state->first_sequence};
}

CancelStep Cancelling::oldest(Result<bus::StoredMessage> first, Now now) {
  if (first && first->stored_at <= *wanted_.stored_at) return met(LogEnd{}, now);
  if (!first && first.error().code != ErrorCode::kNotFound)
    return met(fail(std::move(first.error())), now);
  return {.kind = Kind::kLookUp};
}

CancelStep Cancelling::looked_up(Result<v1::LookupAnswer> answer, Now now) {
  if (!answer && answer.error().code == ErrorCode::kNotFound) {
    return met(
        fail(ErrorCode::kCollectorBehind,
             "no collector is running to tell how far the call has got: cancel it again later"),
        now);
  }
  if (!answer) return met(fail(std::move(answer.error())), now);
  if (answer->last_event().empty()) {
    if (wanted_.recorded) return met(LogEnd{}, now);
    return met(
        fail(
            ErrorCode::kCollectorBehind,
            "the call's events have left the stream and are not recorded yet: cancel it again later"),
        now);
  }
  auto event = proto::decode_event(answer->last_event());
  if (!event) return met(fail(std::move(event.error())), now);
  return met(LogEnd{std::move(*event), 0}, now);
}

CancelStep Cancelling::met(Result<LogEnd> end, Now now) {
  if (now.monotonic - asked_ >= kEndHolds) return again(now);
  if (!end) return after_error(std::move(end.error()));
  switch (plan_cancel(end->event)) {
    case CancelPlan::kDone: return ended(end->event->completed().outcome());
    case CancelPlan::kTell: worker_ = end->event->worker_id(); return tell(now);
    case CancelPlan::kRequest:
      return publish(cancel_request(call(), end->event, reason_, now.wall), end->sequence);
    case CancelPlan::kComplete:
      return publish(cancelled_completion(*end->event, now.wall), end->sequence);
  }
  return {};
}

CancelStep Cancelling::publish(const v1::CallEvent& event, std::uint64_t expected_last) const {
  return {.kind = Kind::kPublish,
          .publication = {.subject = subject_,
                          .payload = proto::encode(event),
                          .expected_last = expected_last},
          .completes = event.completed().outcome()};
}

CancelStep Cancelling::published(Result<bus::PubAck> stored, Now now) {
  // Refused: read again what is there.
  const bool known = stored || stored.error().code == ErrorCode::kWrongLastSequence;
  return known ? again(now) : after_error(std::move(stored.error()));
}

CancelStep Cancelling::tell(Now now) const {
  if (now.monotonic + bus::Bus::kAnswerWithin <= deadline_)
    return {.kind = Kind::kTell, .worker = worker_};
  return {.kind = Kind::kDone,
          .cancellation = {.call_id = call().call_id, .worker = Cancellation::Worker::kNotReached}};
}

CancelStep Cancelling::told(const Result<std::string>& answer, Now) {
  v1::ControlAnswer read;
  if (!answer || !read.ParseFromString(*answer))
    return {.kind = Kind::kPause, .delay = kTellRetryDelay};
  const auto worker = read.held() ? Cancellation::Worker::kTold : Cancellation::Worker::kNotHeld;
  return {.kind = Kind::kDone, .cancellation = {.call_id = call().call_id, .worker = worker}};
}

CancelStep Cancelling::resumed(Now now) { return worker_.empty() ? again(now) : tell(now); }

CancelStep Cancelling::again(Now now) {
  if (now.monotonic >= deadline_) return {.kind = Kind::kFailed, .error = last_error_};
  asked_ = now.monotonic;
  return {.kind = Kind::kReadLog};
}

CancelStep Cancelling::after_error(Error error) {
  last_error_ = std::move(error);
  return {.kind = Kind::kPause, .delay = kRetryDelay};
}

CancelStep Cancelling::ended(v1::Outcome outcome) const {
  const auto state = outcome == v1::OUTCOME_CANCELLED ? Cancellation::State::kCancelled
                                                      : Cancellation::State::kCompleted;
  return {.kind = Kind::kDone,
          .cancellation = {.call_id = call().call_id, .state = state, .outcome = outcome}};
}

v1::ControlRequest Cancelling::request() const {
  v1::ControlRequest request;
  request.set_call_id(call().call_id);
  return request;
}

}  // namespace toolway::gateway::calls
