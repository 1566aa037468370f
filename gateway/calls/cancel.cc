#include "gateway/calls/cancel.h"

#include "base/try.h"
#include "gateway/calls/call_states.h"
#include "gateway/calls/lookup.h"
#include "gateway/wire/json_text.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway::calls {
namespace {

using persistence::store::RecordedCall;

Cancelling::Now moment(const Clock& clock) { return {clock.monotonic(), clock.wall()}; }

/// Carries a `Cancelling` to its end.
loop::Task<wire::HttpResult<Cancellation>> cancel_until(const CancelContext& context,
                                                        ToCancel wanted, std::string reason,
                                                        MonotonicTime deadline) {
  using Kind = CancelStep::Kind;
  Cancelling cancelling(std::move(wanted), std::move(reason), deadline);
  CancelStep step = cancelling.begin(moment(context.clock));
  for (;;) {
    switch (step.kind) {
      case Kind::kReadLog: {
        auto last = co_await context.bus.last_message(proto::kEventsStream, cancelling.subject(),
                                                      bus::ReadFrom::kLeader);
        step = cancelling.read(std::move(last), moment(context.clock));
        break;
      }
      case Kind::kReadWindow: {
        auto state = co_await context.bus.stream_state(proto::kEventsStream);
        step = cancelling.window(std::move(state), moment(context.clock));
        break;
      }
      case Kind::kReadOldest: {
        auto first = co_await context.bus.next_message(proto::kEventsStream, "event.>",
                                                       step.sequence, bus::ReadFrom::kLeader);
        step = cancelling.oldest(std::move(first), moment(context.clock));
        break;
      }
      case Kind::kLookUp: {
        auto answer = co_await look_up_call(context.bus, cancelling.call().call_id);
        step = cancelling.looked_up(std::move(answer), moment(context.clock));
        break;
      }
      case Kind::kPublish: {
        auto stored = co_await context.bus.publish(std::move(step.publication));
        if (stored && step.completes != v1::OUTCOME_UNSPECIFIED) {
          context.counters.completed(cancelling.call().labels, cancelling.call().pool,
                                     step.completes);
        }
        step = cancelling.published(std::move(stored), moment(context.clock));
        break;
      }
      case Kind::kTell: {
        const auto answer = co_await context.bus.request(proto::control_subject(step.worker),
                                                         cancelling.request().SerializeAsString());
        step = cancelling.told(answer, moment(context.clock));
        break;
      }
      case Kind::kPause:
        co_await loop::pause(step.delay);
        step = cancelling.resumed(moment(context.clock));
        break;
      case Kind::kDone: co_return std::move(step.cancellation);
      case Kind::kFailed: co_return wire::refuse(wire::bus_problem(std::move(*step.error)));
    }
  }
}

}  // namespace

ToCancel to_cancel(StreamedCall streamed) {
  return ToCancel(std::move(streamed.call), streamed.stored_at);
}

std::string_view state_name(Cancellation::State state) {
  switch (state) {
    case Cancellation::State::kCancelled: return "cancelled";
    case Cancellation::State::kCancelling: return call_state::kCancelling;
    case Cancellation::State::kCompleted: return call_state::kCompleted;
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
  wire::ObjectText object(out);
  object.text("call_id", cancellation.call_id);
  object.text("state", state_name(cancellation.state));
  object.text("worker", worker_name(cancellation.worker));
  object.text_or_null("outcome", cancellation.outcome == v1::OUTCOME_UNSPECIFIED
                                     ? std::string_view()
                                     : proto::outcome_name(cancellation.outcome));
  object.end();
  return out;
}

loop::Task<wire::HttpResult<Cancellation>> cancel_call(const CancelContext& context, ToCancel call,
                                                       std::string reason, MonotonicTime deadline) {
  auto done = co_await cancel_until(context, std::move(call), std::move(reason), deadline);
  context.counters.cancelled(done ? state_name(done->state) : "failed");
  co_return done;
}

loop::Task<wire::HttpResult<Cancellation>> cancel_call(const CancelContext& context,
                                                       SessionKey session, CallId call,
                                                       std::string reason) {
  const auto deadline = context.clock.monotonic() + Cancelling::kTimeLimit;
  auto read = [call](persistence::store::StoreReader& store) { return store.call(call); };
  CO_ASSIGN_OR_RETURN(auto found,
                      co_await context.store.run<std::optional<RecordedCall>>(std::move(read)));
  if (!found || found->session_key != session.text()) {
    co_return wire::refuse(ErrorCode::kUnknownCall, "the session has no call with this id");
  }
  co_return co_await cancel_call(context, ToCancel(std::move(*found)), std::move(reason), deadline);
}

}  // namespace toolway::gateway::calls
