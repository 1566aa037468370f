#include "tools/loaders/repeated_names.h"

#include <fmt/format.h>

#include <map>

namespace toolway::tools::loaders {

std::vector<Mistake> repeated_names(std::span<const OfferedSpec> specs) {
  std::vector<Mistake> found;
  std::map<std::pair<std::string, bool>, std::string> first_at;  // candidates apart
  for (const auto& one : specs) {
    const auto name = one.spec->qualified_name();
    const auto [first, is_new] = first_at.emplace(std::pair(name, one.rollout > 0), one.where());
    if (is_new) continue;
    found.push_back({one.origin,
                     fmt::format("tool '{}' {} already, at {}", name,
                                 one.rollout > 0 ? "has a candidate" : "exists", first->second),
                     one.line});
  }
  return found;
}

}  // namespace toolway::tools::loaders
