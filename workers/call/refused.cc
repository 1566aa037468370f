#include "workers/call/refused.h"

#include <fmt/format.h>

#include "proto/approvals.h"

namespace toolway::workers::call {

std::optional<Error> refused(const v1::CallRequest& request,
                             const extensions::chain::Verdict& verdict) {
  if (verdict.refusal) return verdict.refusal;
  if (!verdict.hold || proto::must_be_approved(request)) return std::nullopt;
  return Error{ErrorCode::kApprovalMissing,
               fmt::format("calls of this tool need approval ({}), and this one was accepted "
                           "without: call it again",
                           verdict.held_because)};
}

Error approval_missing() {
  return {ErrorCode::kApprovalMissing,
          "the call's log does not show that this call was approved as it is: call it again, and "
          "have it approved"};
}

}  // namespace toolway::workers::call
