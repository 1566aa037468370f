#include "extensions/chain/effective.h"

#include <fmt/format.h>

#include <algorithm>

#include "extensions/builtin/permissions.h"
#include "extensions/grants.h"

namespace toolway::extensions::chain {
namespace {

std::string grants_in_words(const PolicyPtr& policy, const tools::model::Spec& spec,
                            const Principal& caller) {
  const auto grants = grants_of(policy, caller);
  if (!grants) return "allows: no roles are in force";
  if (!grants->may_call(spec)) return "refuses: " + builtin::not_granted(spec, *grants).message;
  std::string says = "allows: ";
  if (policy->tenants.contains(caller.tenant_id))
    says += fmt::format("tenant {} may open {}, and ", caller.tenant_id, spec.ns);
  const auto roles = grants->roles_text();
  return says + (roles.empty() ? "no roles are in force" : "granted to " + roles);
}

}  // namespace

std::vector<Effect> effects(const PolicyPtr& policy, const tools::model::Spec& spec,
                            const Principal& caller, std::span<const ExtensionType> types) {
  std::vector<const ExtensionType*> ordered;
  for (const auto& type : types) ordered.push_back(&type);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto* a, const auto* b) { return a->priority < b->priority; });
  const auto& roles = roles_of(*policy, caller);
  std::vector<Effect> found;
  for (const auto* type : ordered) {
    if (type->name == "approval" && spec.requires_approval)
      found.push_back({.extension = type->name,
                       .priority = type->priority,
                       .says = "holds calls for approval, unless a rule says otherwise: the spec "
                               "says requires_approval"});
    if (type->actions.empty())
      found.push_back({.extension = type->name,
                       .priority = type->priority,
                       .says = grants_in_words(policy, spec, caller)});
    for (const Rule& rule : policy->rules) {
      if (!concerns(rule.conditions, spec, caller, roles)) continue;
      for (const auto& field : type->actions) {
        const auto* action = rule.action(field);
        if (action == nullptr) continue;
        found.push_back(
            {.extension = type->name,
             .priority = type->priority,
             .rule = rule.name,
             .line = rule.line,
             .says = action->text() +
                     (rule.conditions.when ? " (when the arguments are as it says)" : "")});
      }
    }
  }
  return found;
}

}  // namespace toolway::extensions::chain
