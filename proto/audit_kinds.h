#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace toolway::proto {

/// What a record of the audit may be about: its `what` (docs/audit.md).
inline constexpr std::array<std::string_view, 13> kAuditKinds{
    "call_ended",  "call_held",     "call_decided", "refused",     "key_created",
    "key_revoked", "policy_put",    "switched_off", "switched_on", "spec_put",
    "spec_remove", "spec_rollback", "spec_promote"};

inline bool is_audit_kind(std::string_view what) {
  return std::find(kAuditKinds.begin(), kAuditKinds.end(), what) != kAuditKinds.end();
}

}  // namespace toolway::proto
