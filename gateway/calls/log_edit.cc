#include "gateway/calls/log_edit.h"

#include <utility>

#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway::calls {

LogEdit::LogEdit(KnownCall wanted, LogPlanner plan, MonotonicTime deadline)
    : wanted_(std::move(wanted)),
      plan_(std::move(plan)),
      deadline_(deadline),
      last_error_{ErrorCode::kBusUnavailable,
                  "the call's log changed faster than it could be written to"} {}

LogEditStep LogEdit::begin(Now now) {
  const auto session = SessionKey::parse(call().session_key);
  const auto id = CallId::parse(call().call_id);
  if (!session || !id) {
    return {.kind = Kind::kFailed, .error = Error{ErrorCode::kInternal, "a call without its ids"}};
  }
  subject_ = proto::event_subject(*session, *id);
  if (call().completion) return act(call().completion, 0, now);
  asked_ = now.monotonic;
  return {.kind = Kind::kReadLog};
}

LogEditStep LogEdit::read(Result<bus::StoredMessage> last, Now now) {
  if (last) {
    auto event = proto::decode_event(last->payload);
    if (!event) return met(fail(std::move(event.error())), now);
    return met(LogEnd{std::move(*event), last->sequence}, now);
  }
  if (last.error().code != ErrorCode::kNotFound) return met(fail(std::move(last.error())), now);
  // A held call has an event from its first moments on, and may wait for longer than EVENTS keeps
  // it.
  const bool began = call().attempt > 0 || call().completion || call().held;
  if (!began && wanted_.recorded) return met(LogEnd{}, now);
  return {.kind = !began && wanted_.stored_at ? Kind::kReadWindow : Kind::kLookUp};
}

// Whether EVENTS still has every event of a call that CALLS stored at a time. Both times are by the
// server's clock.

LogEditStep LogEdit::window(Result<bus::StreamState> state, Now now) {
  if (!state) return met(fail(std::move(state.error())), now);
  if (state->first_sequence <= 1) return met(LogEnd{}, now);  // nothing was discarded
  return {.kind = Kind::kReadOldest, .sequence = state->first_sequence};
}

LogEditStep LogEdit::oldest(Result<bus::StoredMessage> first, Now now) {
  if (first && first->stored_at <= *wanted_.stored_at) return met(LogEnd{}, now);
  if (!first && first.error().code != ErrorCode::kNotFound)
    return met(fail(std::move(first.error())), now);
  return {.kind = Kind::kLookUp};
}

LogEditStep LogEdit::looked_up(Result<v1::LookupAnswer> answer, Now now) {
  if (!answer && answer.error().code == ErrorCode::kNotFound) {
    return met(fail(ErrorCode::kCollectorBehind,
                    "no collector is running to tell how far the call has got: try again later"),
               now);
  }
  if (!answer) return met(fail(std::move(answer.error())), now);
  if (answer->last_event().empty()) {
    if (wanted_.recorded) return met(LogEnd{}, now);
    return met(
        fail(ErrorCode::kCollectorBehind,
             "the call's events have left the stream and are not recorded yet: try again later"),
        now);
  }
  auto event = proto::decode_event(answer->last_event());
  if (!event) return met(fail(std::move(event.error())), now);
  return met(LogEnd{std::move(*event), 0}, now);
}

LogEditStep LogEdit::met(Result<LogEnd> end, Now now) {
  if (now.monotonic - asked_ >= kEndHolds) return again(now);
  if (!end) return after_error(std::move(end.error()));
  return act(std::move(end->event), end->sequence, now);
}

LogEditStep LogEdit::act(std::optional<v1::CallEvent> last, std::uint64_t sequence, Now now) {
  LogPlan plan = plan_({last, now.wall, may_have_written_});
  switch (plan.kind) {
    case LogPlan::Kind::kDone: return ended(std::move(last));
    case LogPlan::Kind::kTell:
      worker_ = last->worker_id();
      last_ = std::move(last);
      return tell(now);
    case LogPlan::Kind::kWrite: return publish(plan.event, sequence);
    case LogPlan::Kind::kRefuse: return {.kind = Kind::kFailed, .error = std::move(plan.refusal)};
  }
  return {};
}

LogEditStep LogEdit::publish(const v1::CallEvent& event, std::uint64_t expected_last) const {
  return {.kind = Kind::kPublish,
          .publication = {.subject = subject_,
                          .payload = proto::encode(event),
                          .expected_last = expected_last},
          .completes = event.completed().outcome()};
}

LogEditStep LogEdit::published(Result<bus::PubAck> stored, Now now) {
  // Refused: read again what is there.
  const bool refused = !stored && stored.error().code == ErrorCode::kWrongLastSequence;
  if (!refused) may_have_written_ = true;
  return stored || refused ? again(now) : after_error(std::move(stored.error()));
}

LogEditStep LogEdit::tell(Now now) const {
  if (now.monotonic + bus::Bus::kAnswerWithin <= deadline_)
    return {.kind = Kind::kTell, .worker = worker_};
  return {.kind = Kind::kDone,
          .last = last_,
          .cancellation = {.call_id = call().call_id, .worker = Cancellation::Worker::kNotReached}};
}

LogEditStep LogEdit::told(const Result<std::string>& answer, Now) {
  v1::ControlAnswer read;
  if (!answer || !read.ParseFromString(*answer))
    return {.kind = Kind::kPause, .delay = kTellRetryDelay};
  const auto worker = read.held() ? Cancellation::Worker::kTold : Cancellation::Worker::kNotHeld;
  return {.kind = Kind::kDone,
          .last = last_,
          .cancellation = {.call_id = call().call_id, .worker = worker}};
}

LogEditStep LogEdit::resumed(Now now) { return worker_.empty() ? again(now) : tell(now); }

LogEditStep LogEdit::again(Now now) {
  if (now.monotonic >= deadline_) return {.kind = Kind::kFailed, .error = last_error_};
  asked_ = now.monotonic;
  return {.kind = Kind::kReadLog};
}

LogEditStep LogEdit::after_error(Error error) {
  last_error_ = std::move(error);
  return {.kind = Kind::kPause, .delay = kRetryDelay};
}

LogEditStep LogEdit::ended(std::optional<v1::CallEvent> last) const {
  const auto outcome = last ? last->completed().outcome() : v1::OUTCOME_UNSPECIFIED;
  const auto state = outcome == v1::OUTCOME_CANCELLED ? Cancellation::State::kCancelled
                                                      : Cancellation::State::kCompleted;
  return {.kind = Kind::kDone,
          .last = std::move(last),
          .cancellation = {.call_id = call().call_id, .state = state, .outcome = outcome}};
}

v1::ControlRequest LogEdit::request() const {
  v1::ControlRequest request;
  request.set_call_id(call().call_id);
  return request;
}

}  // namespace toolway::gateway::calls
