#include "extensions/policy.h"

#include <algorithm>

#include "tools/matching/tool_pattern.h"

namespace toolway::extensions {
namespace {

bool one_matches(const std::vector<std::string>& globs, std::string_view text) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
    return tools::matching::matches_glob(glob, text);
  });
}

bool has(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace

const Action* Rule::action(std::string_view field) const {
  const auto found = std::find_if(actions.begin(), actions.end(),
                                  [&](const auto& action) { return action.first == field; });
  return found == actions.end() ? nullptr : found->second.get();
}

OnFailure on_failure_of(const Policy& policy, std::string_view extension) {
  const auto found = policy.on_failure.find(extension);
  return found == policy.on_failure.end() ? OnFailure::kClosed : found->second;
}

const std::vector<std::string>& roles_of(const Policy& policy, const Principal& caller) {
  if (!caller.roles.empty()) return caller.roles;
  const auto found = policy.users.find({caller.tenant_id, caller.user_id});
  return found == policy.users.end() ? policy.default_roles : found->second;
}

bool concerns(const Conditions& conditions, const tools::model::Spec& spec, const Principal& caller,
              const std::vector<std::string>& roles) {
  const auto& of = conditions;
  if (of.dangerous && *of.dangerous != spec.dangerous) return false;
  if (!of.kinds.empty() && !has(of.kinds, spec.kind.name)) return false;
  if (!of.tenants.empty() && !has(of.tenants, caller.tenant_id)) return false;
  if (!of.namespaces.empty() && !one_matches(of.namespaces, spec.ns)) return false;
  if (!of.categories.empty() && !one_matches(of.categories, spec.category)) return false;
  if (!of.tools.empty()) {
    const auto name = spec.qualified_name();
    if (std::none_of(of.tools.begin(), of.tools.end(), [&](const std::string& pattern) {
          return tools::matching::matches_tool(pattern, name);
        }))
      return false;
  }
  if (!of.permissions.empty() &&
      std::none_of(spec.permissions.begin(), spec.permissions.end(),
                   [&](const std::string& named) { return one_matches(of.permissions, named); }))
    return false;
  return of.roles.empty() || std::any_of(roles.begin(), roles.end(), [&](const std::string& role) {
           return has(of.roles, role);
         });
}

std::vector<const Rule*> rules_about(const Policy& policy, const tools::model::Spec& spec,
                                     const Principal& caller, const Json* arguments) {
  std::vector<const Rule*> about;
  const auto& roles = roles_of(policy, caller);
  for (const Rule& rule : policy.rules) {
    if (!concerns(rule.conditions, spec, caller, roles)) continue;
    const auto& when = rule.conditions.when;
    // Later rules may only decide where this one does not.
    if (when && arguments == nullptr) break;
    if (when && !tools::matching::mismatches(*when, *arguments).empty()) continue;
    about.push_back(&rule);
  }
  return about;
}

bool looks_at_arguments(const Policy& policy, const tools::model::Spec& spec,
                        const Principal& caller) {
  const auto& roles = roles_of(policy, caller);
  return std::any_of(policy.rules.begin(), policy.rules.end(), [&](const Rule& rule) {
    return rule.conditions.when && concerns(rule.conditions, spec, caller, roles);
  });
}

}  // namespace toolway::extensions
