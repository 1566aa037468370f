#include "extensions/grants.h"

#include "base/reserved_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "tools/matching/tool_pattern.h"
#include "tools/model/all_namespaces.h"

namespace toolway::extensions {
namespace {

using tools::matching::matches_glob;
using tools::matching::matches_tool;

constexpr std::string_view kCall = "call:";
constexpr std::string_view kApprove = "approve:";

/// The pattern of the tools that a permission lets call; empty: it is about something else. `*`
/// grants everything.
std::string_view tools_of(std::string_view permission) {
  if (permission == "*") return permission;
  return permission.starts_with(kCall) ? permission.substr(kCall.size()) : std::string_view();
}

bool one_matches(const std::vector<std::string>& globs, std::string_view ns) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return matches_glob(glob, ns); });
}

/// Null: the tenant is not limited.
const std::vector<std::string>* namespaces_of_tenant(const PolicyPtr& policy,
                                                     const Principal& caller) {
  if (!policy || policy->tenants.empty()) return nullptr;
  const auto found = policy->tenants.find(caller.tenant_id);
  return found == policy->tenants.end() ? nullptr : &found->second;
}

std::string_view namespace_part(std::string_view pattern) {
  return pattern == "*" ? pattern : pattern.substr(0, pattern.find('.'));
}

}  // namespace

Grants::Grants(PolicyPtr policy, const Principal& caller)
    : policy_(std::move(policy)),
      namespaces_(caller.namespaces),
      tenant_(namespaces_of_tenant(policy_, caller)),
      by_roles_(policy_ && policy_->roles) {
  if (by_roles_) roles_ = roles_of(*policy_, caller);
  std::sort(roles_.begin(), roles_.end());
  std::sort(namespaces_.begin(), namespaces_.end());
}

std::string Grants::key() const {
  // No name of a role or namespace has a control character.
  auto key = fmt::format("{}\x1f{}\x1f{}", by_roles_ ? policy_->digest : "",
                         fmt::join(roles_, "\x1e"), fmt::join(namespaces_, "\x1e"));
  if (tenant_ != nullptr) key += fmt::format("\x1f{}", fmt::join(*tenant_, "\x1e"));
  return key;
}

template <typename Test>
bool Grants::any_permission(Test test) const {
  for (const auto& role : roles_) {
    const auto found = policy_->roles->find(role);
    if (found == policy_->roles->end()) continue;  // named by a credential, not by this policy
    if (std::any_of(found->second.begin(), found->second.end(), test)) return true;
  }
  return false;
}

bool Grants::only_for_turns() const {
  const auto for_turns = [](std::string_view permission) {
    return permission == kActForTurns || permission == kContinueTurns;
  };
  return by_roles_ && any_permission(for_turns) && !any_permission(std::not_fn(for_turns));
}

bool Grants::within_limits(std::string_view ns) const {
  return within_tenant(ns) && (namespaces_.empty() || one_matches(namespaces_, ns));
}

bool Grants::within_tenant(std::string_view ns) const {
  return tenant_ == nullptr || one_matches(*tenant_, ns);
}

bool Grants::may(std::string_view permission) const {
  // Who is limited to namespaces, without a role that says more, may call their tools only.
  if (!by_roles_) return namespaces_.empty() && tenant_ == nullptr;
  return any_permission([&](const std::string& glob) { return matches_glob(glob, permission); });
}

bool Grants::may_call(const tools::model::Spec& spec) const {
  // Turns are the gateways' own calls: what they call is granted or not.
  if (spec.ns == kTurnNamespace) return true;
  if (!within_limits(spec.ns)) return false;
  if (!by_roles_) return true;
  const auto name = spec.qualified_name();
  return any_permission([&](const std::string& permission) {
           const auto pattern = tools_of(permission);
           return !pattern.empty() && matches_tool(pattern, name);
         }) &&
         std::all_of(spec.permissions.begin(), spec.permissions.end(),
                     [this](const std::string& named) { return may(named); });
}

bool Grants::may_approve(std::string_view ns, std::string_view tool) const {
  if (!within_limits(ns)) return false;
  if (!by_roles_) return true;
  const auto name = fmt::format("{}.{}", ns, tool);
  return any_permission([&](const std::string& permission) {
    if (permission == "*") return true;
    return permission.starts_with(kApprove) &&
           matches_tool(std::string_view(permission).substr(kApprove.size()), name);
  });
}

bool may_decide(const PolicyPtr& policy, const Principal& caller,
                std::span<const std::string> roles, std::string_view ns, std::string_view tool) {
  if (caller.method == kByOperator) return true;
  const Grants grants(policy, caller);
  if (roles.empty()) return grants.may_approve(ns, tool);
  const auto& has = policy ? roles_of(*policy, caller) : caller.roles;
  return grants.within_limits(ns) && std::any_of(has.begin(), has.end(), [&](const auto& role) {
           const bool counts = !policy || !policy->roles || policy->roles->contains(role);
           return counts && std::find(roles.begin(), roles.end(), role) != roles.end();
         });
}

bool Grants::may_open(std::string_view ns) const {
  const bool every = ns == tools::model::kAllNamespaces;
  if (!every && !within_limits(ns)) return false;
  if (!by_roles_) return true;
  return any_permission([&](const std::string& permission) {
    const auto pattern = tools_of(permission);
    return !pattern.empty() && (every || matches_glob(namespace_part(pattern), ns));
  });
}

std::string Grants::why_not_open(std::string_view ns) const {
  if (!may_open(tools::model::kAllNamespaces))
    return fmt::format(
        "you may not call any tool: {}; ask an operator for a role with permission "
        "call:NAMESPACE.TOOL",
        without_grant("grants none", "grant none"));
  constexpr std::string_view kOthers = "open others (\"*\" stands for all that you may)";
  if (!within_tenant(ns))
    return fmt::format("you may not open namespace {}: your tenant may not; {}", ns, kOthers);
  if (!within_limits(ns))
    return fmt::format(
        "you may not open namespace {}: your key or token is limited to other namespaces; {}, or "
        "use another credential",
        ns, kOthers);
  return fmt::format(
      "you may not open namespace {0}: {1}; {2}, or ask an operator for a role with permission "
      "call:{0}.TOOL",
      ns, without_grant("lets you call no tool in it", "let you call no tool in it"), kOthers);
}

std::string Grants::without_grant(std::string_view one, std::string_view several) const {
  if (roles_.empty()) return "you have no role";
  return fmt::format("your {} {} {}", roles_.size() == 1 ? "role" : "roles", roles_text(),
                     roles_.size() == 1 ? one : several);
}

std::string Grants::roles_text() const { return fmt::format("{}", fmt::join(roles_, ", ")); }

GrantsPtr grants_of(const PolicyPtr& policy, const Principal& caller) {
  if (caller.method == kByOperator) return nullptr;
  if ((!policy || !policy->roles) && caller.namespaces.empty() &&
      namespaces_of_tenant(policy, caller) == nullptr)
    return nullptr;
  return std::make_shared<const Grants>(policy, caller);
}

}  // namespace toolway::extensions
