#include "gateway/calls/cancel_plan.h"

#include "base/error.h"
#include "proto/approvals.h"
#include "proto/questions.h"
#include "proto/trace.h"

namespace toolway::gateway::calls {

CancelPlan plan_cancel(const std::optional<v1::CallEvent>& last) {
  if (!last) return CancelPlan::kRequest;
  if (last->has_completed()) return CancelPlan::kDone;
  if (!last->has_cancel_requested()) return CancelPlan::kRequest;
  return last->worker_id().empty() ? CancelPlan::kComplete : CancelPlan::kTell;
}

LogEdit cancelling(KnownCall call, std::string reason, MonotonicTime deadline) {
  auto plan = [recorded = call.call, reason = std::move(reason)](const LogView& log) -> LogPlan {
    switch (plan_cancel(log.last)) {
      case CancelPlan::kDone: return {};
      case CancelPlan::kTell: return {.kind = LogPlan::Kind::kTell};
      case CancelPlan::kRequest:
        return {.kind = LogPlan::Kind::kWrite,
                .event = cancel_request(recorded, log.last, reason, log.now)};
      case CancelPlan::kComplete:
        return {.kind = LogPlan::Kind::kWrite, .event = cancelled_completion(*log.last, log.now)};
    }
    return {};
  };
  return LogEdit(std::move(call), std::move(plan), deadline);
}

v1::CallEvent cancel_request(const persistence::store::RecordedCall& call,
                             const std::optional<v1::CallEvent>& last, std::string_view reason,
                             WallTime now) {
  v1::CallEvent event;
  event.set_call_id(call.call_id);
  event.set_tenant_id(call.tenant_id);
  event.set_session_key(call.session_key);
  event.set_user_id(call.user_id);
  event.set_session_id(call.session_id);
  *event.mutable_labels() = call.labels;
  event.set_submitted_at_us(to_unix_us(call.submitted_at));
  event.set_attempt(last ? last->attempt() : 0);
  event.set_seq(last ? last->seq() + 1 : 1);
  // The worker that wrote one of these no longer runs the call.
  const bool runs = last && !last->has_retry_at() && !proto::is_parked(*last);
  if (runs) event.set_worker_id(last->worker_id());
  if (last && last->has_trace()) *event.mutable_trace() = last->trace();
  // In its queue nothing was written yet: it follows from the call's own message.
  if (!last && call.trace.sampled) proto::set_trace(*event.mutable_trace(), call.trace);
  event.set_time_us(to_unix_us(now));
  // For the completion that may follow from this event alone.
  event.set_admission(call.admission);
  event.mutable_cancel_requested()->set_reason(std::string(reason));
  event.mutable_cancel_requested()->set_held(
      last ? proto::approval_state(*last) == proto::ApprovalState::kWaiting : call.held);
  if (last && last->has_input_provided())
    event.mutable_cancel_requested()->set_follows(proto::followed_by(*last));
  // Its worker may not have seen the answers yet.
  if (last) *event.mutable_questions() = last->questions();
  return event;
}

v1::CallEvent cancelled_completion(const v1::CallEvent& request, WallTime now) {
  v1::CallEvent event = request;
  event.clear_questions();
  event.set_seq(request.seq() + 1);
  event.set_time_us(to_unix_us(now));
  const std::string& reason = request.cancel_requested().reason();
  std::string message = request.attempt() == 0 ? "it was cancelled before it started"
                                               : "it was cancelled between two attempts";
  if (!reason.empty()) message += ": " + reason;
  v1::Completed& completed = *event.mutable_completed();
  completed.set_outcome(v1::OUTCOME_CANCELLED);
  completed.mutable_error()->set_code(std::string(code_name(ErrorCode::kCancelled)));
  completed.mutable_error()->set_message(std::move(message));
  return event;
}

}  // namespace toolway::gateway::calls
