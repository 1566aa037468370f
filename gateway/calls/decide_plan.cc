#include "gateway/calls/decide_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "proto/approvals.h"
#include "proto/codec.h"

namespace toolway::gateway::calls {
namespace {

using proto::ApprovalState;

LogPlan write(v1::CallEvent event) {
  return {.kind = LogPlan::Kind::kWrite, .event = std::move(event)};
}

LogPlan refuse(ErrorCode code, std::string message) {
  return {.kind = LogPlan::Kind::kRefuse, .refusal = Error{code, std::move(message)}};
}

LogPlan decided_before(std::string_view how) {
  return refuse(ErrorCode::kApprovalDecided,
                fmt::format("the call does not wait for a decision: {}", how));
}

bool same(const v1::Vote& a, const v1::Vote& b) {
  return a.approve() == b.approve() && a.user_id() == b.user_id() && a.key_id() == b.key_id() &&
         a.at_us() == b.at_us();
}

/// Remembers whether its vote is in the log, since what follows a vote does not name it.
class DecidePlan {
 public:
  explicit DecidePlan(ToDecide decision) : of_(std::move(decision)) {}

  LogPlan operator()(const LogView& log) {
    const auto& last = log.last;
    const auto now = log.now;
    // Its gateway died before it could write it.
    if (!last) return write(proto::approval_request(of_.request, of_.digest, now));
    const auto* newest = proto::newest_vote(*last);
    if (newest != nullptr && same(*newest, of_.vote)) voted_ = true;
    if (last->has_completed()) return ended(last->completed());
    switch (proto::approval_state(*last)) {
      case ApprovalState::kWaiting: return waiting(*last, now);
      case ApprovalState::kApproved:
        return voted_ ? LogPlan() : decided_before(fmt::format("{} approved it", by(newest)));
      case ApprovalState::kDenied:
        if (!voted_) return decided_before(fmt::format("{} denied it", by(newest)));
        return write(
            proto::rejected_completion(of_.request, &*last, ErrorCode::kApprovalDenied, now));
      case ApprovalState::kNone: break;
    }
    if (voted_) return {};
    return decided_before(last->has_cancel_requested() ? "it is being cancelled"
                                                       : "it was approved, and has begun");
  }

 private:
  static std::string by(const v1::Vote* vote) {
    return vote == nullptr || vote->user_id().empty() ? "someone" : vote->user_id();
  }

  LogPlan ended(const v1::Completed& completed) const {
    const auto& code = completed.error().code();
    if (voted_ && code == code_name(ErrorCode::kApprovalDenied)) return {};
    if (code == code_name(ErrorCode::kApprovalExpired))
      return refuse(ErrorCode::kApprovalExpired,
                    "no one decided about the call in time, and it has ended: call again");
    if (code == code_name(ErrorCode::kApprovalStale))
      return refuse(ErrorCode::kApprovalStale,
                    "the tool has changed since the call was made, and the call has ended: call "
                    "again");
    return decided_before(
        fmt::format("it has ended as {}", proto::outcome_name(completed.outcome())));
  }

  LogPlan waiting(const v1::CallEvent& last, WallTime now) const {
    if (voted_) return {};  // more must approve
    const auto& asked = last.has_approval_requested() ? last.approval_requested().digest()
                                                      : last.approval_decided().digest();
    if (asked != of_.digest)
      return refuse(ErrorCode::kInternal,
                    "the call's log asks for approval of something else than its request says");
    if (now >= from_unix_us(proto::hold_of(last).expires_at_us()))
      return write(
          proto::rejected_completion(of_.request, &last, ErrorCode::kApprovalExpired, now));
    if (of_.vote.approve() && of_.spec == SpecNow::kChanged)
      return write(proto::rejected_completion(of_.request, &last, ErrorCode::kApprovalStale, now));
    const auto& votes = last.approval_decided().votes();
    if (std::any_of(votes.begin(), votes.end(),
                    [&](const v1::Vote& vote) { return vote.user_id() == of_.vote.user_id(); }))
      return refuse(ErrorCode::kApprovalDecided,
                    "you have approved the call already; it waits until others have, too");
    return write(proto::approval_decided(of_.request, last, of_.vote, now));
  }

  ToDecide of_;
  bool voted_ = false;
};

}  // namespace

LogEdit deciding(ToDecide decision, MonotonicTime deadline) {
  const auto& request = decision.request;
  persistence::store::RecordedCall call;
  call.call_id = request.call_id();
  call.session_key = request.session_key();
  call.labels = request.labels();
  call.pool = request.pool();
  call.held = true;
  return LogEdit(KnownCall(std::move(call)), DecidePlan(std::move(decision)), deadline);
}

}  // namespace toolway::gateway::calls
