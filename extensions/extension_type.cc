#include "extensions/extension_type.h"

#include <algorithm>

namespace toolway::extensions {

std::string_view priority_name(Priority priority) {
  switch (priority) {
    case Priority::kHighest: return "highest";
    case Priority::kHigh: return "high";
    case Priority::kNormal: return "normal";
    case Priority::kLow: return "low";
  }
  return "normal";
}

bool asks_for(const Policy& policy, std::span<const std::string_view> actions) {
  return std::any_of(policy.rules.begin(), policy.rules.end(), [&](const Rule& rule) {
    return std::any_of(actions.begin(), actions.end(),
                       [&](std::string_view field) { return rule.action(field) != nullptr; });
  });
}

}  // namespace toolway::extensions
