#include "gateway/calls/cancel.h"

#include "base/try.h"
#include "gateway/calls/call_states.h"
#include "gateway/calls/cancel_plan.h"
#include "gateway/calls/edit_log.h"
#include "gateway/wire/json_text.h"
#include "proto/codec.h"

namespace toolway::gateway::calls {
namespace {

using persistence::store::RecordedCall;

}  // namespace

KnownCall to_cancel(StreamedCall streamed) {
  return KnownCall(std::move(streamed.call), streamed.stored_at);
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

loop::Task<wire::HttpResult<Cancellation>> cancel_call(const CancelContext& context, KnownCall call,
                                                       std::string reason, MonotonicTime deadline) {
  auto edit = cancelling(std::move(call), std::move(reason), deadline);
  auto done = co_await edit_log(context, edit);
  context.counters.cancelled(done ? state_name(done->cancellation.state) : "failed");
  CO_RETURN_IF_ERROR(done);
  co_return std::move(done->cancellation);
}

loop::Task<wire::HttpResult<Cancellation>> cancel_call(const CancelContext& context,
                                                       SessionKey session, CallId call,
                                                       std::string reason) {
  const auto deadline = context.clock.monotonic() + LogEdit::kTimeLimit;
  auto read = [call](persistence::store::StoreReader& store) { return store.call(call); };
  CO_ASSIGN_OR_RETURN(auto found,
                      co_await context.store.run<std::optional<RecordedCall>>(std::move(read)));
  if (!found || found->session_key != session.text()) {
    co_return wire::refuse(ErrorCode::kUnknownCall, "the session has no call with this id");
  }
  co_return co_await cancel_call(context, KnownCall(std::move(*found)), std::move(reason),
                                 deadline);
}

}  // namespace toolway::gateway::calls
