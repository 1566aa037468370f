#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "extensions/policy.h"

namespace toolway::extensions {

// Permissions that are not a tool's.
inline constexpr std::string_view kReadFleet = "fleet:read";
inline constexpr std::string_view kReadMetrics = "metrics:read";
inline constexpr std::string_view kActForTurns = "chat:act";
inline constexpr std::string_view kContinueTurns = "chat:continue";

/// What one caller may do under one policy. Pure and immutable.
class Grants {
 public:
  /// `policy`: may be null.
  Grants(PolicyPtr policy, const Principal& caller);

  /// `fleet:read`, `metrics:read`, or a name that a spec's `permissions` has.
  bool may(std::string_view permission) const;
  /// The same where silence does not grant: only if the policy has roles, and one of the caller's
  /// says so.
  bool role_grants(std::string_view permission) const { return by_roles_ && may(permission); }
  /// Whether the roles grant nothing else than to act for the users of turns (`chat:act`,
  /// `chat:continue`), as those of a chat process do.
  bool only_for_turns() const;
  /// Whether the caller may call a tool, and so may know of it: a role grants
  /// `call:<namespace>.<tool>` and every permission that the spec names, and the credential is not
  /// limited to other namespaces, nor the tenant.
  bool may_call(const tools::model::Spec& spec) const;
  /// Whether a role grants `approve:<namespace>.<tool>`, and neither the credential nor the tenant
  /// is limited to other namespaces.
  bool may_approve(std::string_view ns, std::string_view tool) const;
  /// Whether neither the credential nor the caller's tenant is limited to other namespaces.
  bool within_limits(std::string_view ns) const;
  /// The second half of it.
  bool within_tenant(std::string_view ns) const;
  /// Whether some tool of the namespace could be called; "*": of any. What a session may open.
  bool may_open(std::string_view ns) const;
  /// Why not, and what to do, for the caller; `may_open` has said no.
  std::string why_not_open(std::string_view ns) const;
  /// The same for callers who may do the same under the same policy.
  std::string key() const;
  /// Those that grant: `agent, approver`.
  std::string roles_text() const;

 private:
  template <typename Test>
  bool any_permission(Test test) const;
  /// `your role agent ONE`, `your roles agent, approver SEVERAL`.
  std::string without_grant(std::string_view one, std::string_view several) const;

  const PolicyPtr policy_;
  std::vector<std::string> roles_;
  std::vector<std::string> namespaces_;               ///< of the credential; none: not limited
  const std::vector<std::string>* tenant_ = nullptr;  ///< of the tenant; null: not limited
  bool by_roles_ = false;
};
using GrantsPtr = std::shared_ptr<const Grants>;

/// Null: the caller may do everything, since neither the policy's roles and tenants nor the
/// credential limit it.
GrantsPtr grants_of(const PolicyPtr& policy, const Principal& caller);

/// Null grants: everything.
inline bool may(const GrantsPtr& grants, std::string_view permission) {
  return !grants || grants->may(permission);
}
inline bool may_call(const GrantsPtr& grants, const tools::model::Spec& spec) {
  return !grants || grants->may_call(spec);
}
/// Whether a caller may decide about a call of a tool that is held for `roles` (none: for those who
/// may approve it). Without a policy everyone may; the limits of a credential and of a tenant count
/// in any case.
bool may_decide(const PolicyPtr& policy, const Principal& caller,
                std::span<const std::string> roles, std::string_view ns, std::string_view tool);
inline bool may_open(const GrantsPtr& grants, std::string_view ns) {
  return !grants || grants->may_open(ns);
}

}  // namespace toolway::extensions
