#include "mcp/revision.h"

#include <algorithm>

namespace toolway::mcp {
namespace {

constexpr std::array<RevisionRules, kRevisions.size()> kRules{{
    {Revision::k2024_11_05, "2024-11-05", Opening::kHandshake, Requests::kBothWays,
     Changes::kUnasked},
    {Revision::k2025_03_26, "2025-03-26", Opening::kHandshake, Requests::kBothWays,
     Changes::kUnasked},
    {Revision::k2025_06_18, "2025-06-18", Opening::kHandshake, Requests::kBothWays,
     Changes::kUnasked},
    {Revision::k2025_11_25, "2025-11-25", Opening::kHandshake, Requests::kBothWays,
     Changes::kUnasked, true, Tasks::kByClient},
    {Revision::k2026_07_28, "2026-07-28", Opening::kEachRequest, Requests::kOfClients,
     Changes::kSubscription, false, Tasks::kByServer},
}};

}  // namespace

const RevisionRules& rules_of(Revision revision) {
  return kRules[static_cast<std::size_t>(revision)];
}

std::string_view revision_name(Revision revision) { return rules_of(revision).name; }

std::optional<Revision> parse_revision(std::string_view name) {
  const auto found = std::find_if(kRules.begin(), kRules.end(),
                                  [&](const auto& rules) { return rules.name == name; });
  return found == kRules.end() ? std::nullopt : std::optional(found->revision);
}

Revision newest_with(Opening opening) {
  const auto found = std::find_if(kRules.rbegin(), kRules.rend(),
                                  [&](const auto& rules) { return rules.opening == opening; });
  return found->revision;
}

}  // namespace toolway::mcp
