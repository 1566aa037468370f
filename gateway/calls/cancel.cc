#include "gateway/calls/cancel.h"

#include "gateway/calls/cancel_plan.h"
#include "gateway/calls/lookup.h"
#include "gateway/wire/json_text.h"
#include "gateway/loop/side_by_side.h"
#include "monitoring/metric_names.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "proto/toolway/v1/control.pb.h"

namespace toolway::gateway {
namespace {

using persistence::RecordedCall;
using std::chrono::steady_clock;
constexpr std::chrono::milliseconds kAgain{20};
constexpr std::chrono::milliseconds kTellAgain{100};
/// For how long the end of a log counts as read. A gateway that slept reads it again: what came since may have
/// left the stream by now, and then a write that expects nothing before it is not refused.
constexpr std::chrono::seconds kEndHolds{10};

/// The end of a call's chain.
struct ChainEnd {
  std::optional<v1::CallEvent> event;
  std::uint64_t sequence = 0;  ///< 0: the stream has none of its events
};

/// For a call whose events are no longer in the stream: they have left the window, and the
/// collectors know the last one.
Task<Result<ChainEnd>> look_up(Services& services, const RecordedCall& call) {
  auto answer = co_await look_up_call(services, call.call_id);
  if (!answer && answer.error().code == ErrorCode::kNotFound) {
    co_return fail(ErrorCode::kCollectorBehind, "no collector is running to tell how far the call has got: cancel it again later");
  }
  if (!answer) co_return fail(std::move(answer.error()));
  if (answer->last_event().empty()) co_return ChainEnd{};
  auto event = proto::decode_event(answer->last_event());
  if (!event) co_return fail(std::move(event.error()));
  co_return ChainEnd{std::move(*event), 0};
}

/// Whether every event of a call that CALLS stored at that time is still in EVENTS. Both times are by the
/// server's clock.
Task<Result<bool>> events_reach_back(Services& services, WallTime stored_at) {
  const auto state = co_await services.bus.stream_state(proto::kEventsStream);
  if (!state) co_return fail(state.error());
  if (state->first_sequence <= 1) co_return true;  // nothing was discarded
  const auto first = co_await services.bus.next_message(proto::kEventsStream, "event.>", state->first_sequence,
                                                        bus::ReadFrom::kLeader);
  if (first) co_return first->stored_at <= stored_at;
  if (first.error().code == ErrorCode::kNotFound) co_return false;
  co_return fail(first.error());
}

Task<Result<ChainEnd>> read_end(Services& services, const ToCancel& wanted, const std::string& subject) {
  auto last = co_await services.bus.last_message(proto::kEventsStream, subject,
                                                 bus::ReadFrom::kLeader);
  if (last) {
    auto event = proto::decode_event(last->payload);
    if (!event) co_return fail(std::move(event.error()));
    co_return ChainEnd{std::move(*event), last->sequence};
  }
  if (last.error().code != ErrorCode::kNotFound) co_return fail(std::move(last.error()));
  const RecordedCall& call = wanted.call;
  if (call.attempt == 0 && !call.completion) {
    if (wanted.recorded) co_return ChainEnd{};
    if (wanted.stored_at) {
      const auto all = co_await events_reach_back(services, *wanted.stored_at);
      if (!all) co_return fail(all.error());
      if (*all) co_return ChainEnd{};
    }
  }
  auto known = co_await look_up(services, call);
  if (known && !known->event && !wanted.recorded) {
    co_return fail(ErrorCode::kCollectorBehind,
                   "the call's events have left the stream and are not recorded yet: cancel it again later");
  }
  co_return known;
}

Cancellation ended(const RecordedCall& call, v1::Outcome outcome) {
  Cancellation done{.call_id = call.call_id, .outcome = outcome};
  done.state = outcome == v1::OUTCOME_CANCELLED ? Cancellation::State::kCancelled
                                                : Cancellation::State::kCompleted;
  return done;
}

/// Tells a worker until it answers or the time runs out.
Task<Cancellation::Worker> tell(Services& services, const RecordedCall& call, std::string worker_id,
                                steady_clock::time_point deadline) {
  v1::ControlRequest request;
  request.set_call_id(call.call_id);
  const std::string subject = proto::control_subject(worker_id);
  const std::string bytes = request.SerializeAsString();
  while (steady_clock::now() + bus::Bus::kAnswerWithin <= deadline) {
    auto text = co_await services.bus.request(subject, bytes);
    v1::ControlAnswer answer;
    if (text && answer.ParseFromString(*text)) {
      co_return answer.held() ? Cancellation::Worker::kTold : Cancellation::Worker::kNotHeld;
    }
    co_await pause(services.executor, kTellAgain);
  }
  co_return Cancellation::Worker::kNotReached;
}

Task<Answer<Cancellation>> cancel_until(Services& services, ToCancel wanted, std::string reason,
                                        steady_clock::time_point deadline) {
  const RecordedCall& call = wanted.call;
  const auto session = SessionKey::parse(call.session_key);
  const auto id = CallId::parse(call.call_id);
  if (!session || !id) co_return refuse(ErrorCode::kInternal, "a call without its ids");
  if (call.completion) co_return ended(call, call.completion->completed().outcome());
  const std::string subject = proto::event_subject(*session, *id);
  Error last_error{ErrorCode::kBusUnavailable, "the call's log changed faster than a cancellation could be written to it"};
  do {
    const auto asked = steady_clock::now();
    auto end = co_await read_end(services, wanted, subject);
    if (steady_clock::now() - asked >= kEndHolds) continue;
    if (!end) {
      last_error = std::move(end.error());
      co_await pause(services.executor, kAgain);
      continue;
    }
    v1::CallEvent next;
    switch (next_cancel_step(end->event)) {
      case CancelStep::kDone: co_return ended(call, end->event->completed().outcome());
      case CancelStep::kTell: {
        Cancellation told{.call_id = call.call_id};
        told.worker = co_await tell(services, call, end->event->worker_id(), deadline);
        co_return told;
      }
      case CancelStep::kRequest:
        next = cancel_request(call, end->event, reason, services.clock.wall());
        break;
      case CancelStep::kComplete:
        next = cancelled_completion(*end->event, services.clock.wall());
        break;
    }
    // Refused, or not answered: read again what is there.
    bus::Publication publication{.subject = subject,
                                 .payload = proto::encode(next),
                                 .expected_last = end->sequence};
    auto stored = co_await services.bus.publish(std::move(publication));
    if (stored && next.has_completed()) {
      services.count_completed(call.labels, call.pool, next.completed().outcome());
    }
    if (!stored && stored.error().code != ErrorCode::kWrongLastSequence) {
      last_error = std::move(stored.error());
      co_await pause(services.executor, kAgain);
    }
  } while (steady_clock::now() < deadline);
  co_return refuse(bus_problem(std::move(last_error)));
}

}  // namespace

std::string_view state_name(Cancellation::State state) {
  switch (state) {
    case Cancellation::State::kCancelled: return "cancelled";
    case Cancellation::State::kCancelling: return "cancelling";
    case Cancellation::State::kCompleted: return "completed";
  }
  return "";
}

std::string_view worker_name(Cancellation::Worker worker) {
  switch (worker) {
    case Cancellation::Worker::kNone: return "none";
    case Cancellation::Worker::kTold: return "told";
    case Cancellation::Worker::kNotHeld: return "not_held";
    case Cancellation::Worker::kNotReached: return "not_reached";
  }
  return "";
}

std::string cancellation_json(const Cancellation& cancellation) {
  std::string out;
  ObjectText object(out);
  object.text("call_id", cancellation.call_id);
  object.text("state", state_name(cancellation.state));
  object.text("worker", worker_name(cancellation.worker));
  object.text_or_null("outcome", cancellation.outcome == v1::OUTCOME_UNSPECIFIED
                                     ? std::string_view()
                                     : proto::outcome_name(cancellation.outcome));
  object.end();
  return out;
}

Task<Answer<Cancellation>> cancel_call(Services& services, ToCancel call, std::string reason,
                                       steady_clock::time_point deadline) {
  auto done = co_await cancel_until(services, std::move(call), std::move(reason), deadline);
  services.metrics
      .counter(monitoring::kCancels, "result", done ? state_name(done->state) : "failed")
      .add();
  co_return done;
}

Task<Answer<Cancellation>> cancel_call(Services& services, SessionKey session, CallId call,
                                       std::string reason) {
  const auto deadline = steady_clock::now() + kCancelWithin;
  auto read = [call](persistence::StoreReader& store) { return store.call(call); };
  auto found = co_await services.store.run<std::optional<RecordedCall>>(std::move(read));
  if (!found) co_return refuse(std::move(found.error()));
  if (!*found || (*found)->session_key != session.text()) {
    co_return refuse(ErrorCode::kUnknownCall, "the session has no call with this id");
  }
  co_return co_await cancel_call(services, ToCancel(std::move(**found)), std::move(reason), deadline);
}

}  // namespace toolway::gateway
