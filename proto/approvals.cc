#include "proto/approvals.h"

#include <fmt/format.h>

#include "base/sha256.h"
#include "proto/audit.h"
#include "proto/publication.h"
#include "proto/trace.h"

namespace toolway::proto {
namespace {

void add_field(Sha256& sum, std::string_view field) {
  sum.add(fmt::format("{}:", field.size()));
  sum.add(field);
}

std::string rejection(ErrorCode code, const v1::CallEvent* last) {
  if (code == ErrorCode::kApprovalExpired) return "denied: no one decided in time";
  if (code == ErrorCode::kApprovalStale)
    return "denied: the tool has changed since the call was made; call it again";
  const auto* vote = last != nullptr ? newest_vote(*last) : nullptr;
  if (vote == nullptr || vote->reason().empty()) return "denied: no reason was given";
  return "denied: " + vote->reason();
}

}  // namespace

std::string approval_digest(const v1::CallRequest& request, std::string_view arguments_digest) {
  Sha256 sum;
  for (const std::string_view field :
       {std::string_view("toolway approval 1"), std::string_view(request.call_id()),
        std::string_view(request.labels().namespace_()), std::string_view(request.labels().tool()),
        std::string_view(request.spec_digest()), arguments_digest,
        std::string_view(request.session_key()), std::string_view(request.tenant_id()),
        std::string_view(request.user_id()), std::string_view(request.principal().user_id()),
        std::string_view(request.principal().method()),
        std::string_view(request.principal().key_id())})
    add_field(sum, field);
  return "sha256:" + sum.hex();
}

ApprovalState approval_state(const v1::CallEvent& last) {
  if (last.has_approval_requested()) return ApprovalState::kWaiting;
  if (!last.has_approval_decided()) return ApprovalState::kNone;
  const auto* vote = newest_vote(last);
  if (vote != nullptr && !vote->approve()) return ApprovalState::kDenied;
  return last.approved().empty() ? ApprovalState::kWaiting : ApprovalState::kApproved;
}

std::string_view held_state_after(const v1::CallEvent& event) {
  switch (approval_state(event)) {
    case ApprovalState::kWaiting: return held_state::kWaiting;
    case ApprovalState::kApproved: return held_state::kApproved;
    case ApprovalState::kDenied: return held_state::kDenied;
    case ApprovalState::kNone: break;
  }
  if (event.has_cancel_requested() && event.cancel_requested().held())
    return held_state::kCancelled;
  if (!event.has_completed()) return {};
  const auto& code = event.completed().error().code();
  if (code == code_name(ErrorCode::kApprovalExpired)) return held_state::kExpired;
  if (code == code_name(ErrorCode::kApprovalStale)) return held_state::kStale;
  return {};
}

unsigned approvals_of(const v1::ApprovalDecided& decided) {
  unsigned approvals = 0;
  for (const auto& vote : decided.votes()) approvals += vote.approve() ? 1 : 0;
  return approvals;
}

const v1::Vote* newest_vote(const v1::CallEvent& last) {
  const auto& votes = last.approval_decided().votes();
  return votes.empty() ? nullptr : &votes[votes.size() - 1];
}

const v1::Hold& hold_of(const v1::CallEvent& last) {
  return last.has_approval_requested() ? last.approval_requested().hold()
                                       : last.approval_decided().hold();
}

v1::CallEvent event_after(const v1::CallRequest& request, const v1::CallEvent* last, WallTime now) {
  v1::CallEvent event;
  event.set_call_id(request.call_id());
  event.set_tenant_id(request.tenant_id());
  event.set_session_key(request.session_key());
  event.set_user_id(request.user_id());
  event.set_session_id(request.session_id());
  *event.mutable_labels() = request.labels();
  event.set_submitted_at_us(request.submitted_at_us());
  event.set_attempt(last != nullptr ? last->attempt() : 0);
  event.set_seq(last != nullptr ? last->seq() + 1 : 1);
  event.set_time_us(to_unix_us(now));
  if (trace_of(request.trace()).sampled) *event.mutable_trace() = request.trace();
  return event;
}

v1::CallEvent approval_request(const v1::CallRequest& request, std::string digest, WallTime now) {
  auto event = event_after(request, nullptr, now);
  auto& asked = *event.mutable_approval_requested();
  *asked.mutable_hold() = request.hold();
  asked.set_digest(std::move(digest));
  return event;
}

v1::CallEvent approval_decided(const v1::CallRequest& request, const v1::CallEvent& last,
                               v1::Vote vote, WallTime now) {
  auto event = event_after(request, &last, now);
  auto& decided = *event.mutable_approval_decided();
  if (last.has_approval_decided()) {
    decided = last.approval_decided();
  } else {
    *decided.mutable_hold() = last.approval_requested().hold();
    decided.set_digest(last.approval_requested().digest());
  }
  const bool approves = vote.approve();
  *decided.add_votes() = std::move(vote);
  if (approves && approvals_of(decided) >= decided.hold().quorum())
    event.set_approved(decided.digest());
  return event;
}

v1::CallEvent rejected_completion(const v1::CallRequest& request, const v1::CallEvent* last,
                                  ErrorCode code, WallTime now) {
  auto event = event_after(request, last, now);
  event.set_admission(admission_to_tell(request));
  auto& completed = *event.mutable_completed();
  completed.set_outcome(v1::OUTCOME_REJECTED);
  completed.mutable_error()->set_code(std::string(code_name(code)));
  completed.mutable_error()->set_message(rejection(code, last));
  return event;
}

v1::CallRequest released(v1::CallRequest request, const v1::CallEvent& last) {
  const auto& decided = last.approval_decided();
  request.set_publication(kReleased);
  request.set_released_at_us(last.time_us());
  request.mutable_approval()->set_digest(decided.digest());
  *request.mutable_approval()->mutable_votes() = decided.votes();
  return request;
}

}  // namespace toolway::proto
