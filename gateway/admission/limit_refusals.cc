#include "gateway/admission/limit_refusals.h"

namespace toolway::gateway::admission {

void LimitRefusals::note(const std::string& key, MonotonicTime now, WallTime wall) {
  if (refusing_.size() >= kMax)
    std::erase_if(refusing_, [now](const auto& one) { return now - one.second.last > kLasts; });
  if (refusing_.size() >= kMax && !refusing_.contains(key)) return;
  const auto [place, first] = refusing_.try_emplace(key);
  if (first || now - place->second.last > kLasts) place->second.since = wall;
  place->second.last = now;
}

std::optional<WallTime> LimitRefusals::since(const std::string& key, MonotonicTime now) const {
  const auto found = refusing_.find(key);
  if (found == refusing_.end() || now - found->second.last > kLasts) return std::nullopt;
  return found->second.since;
}

}  // namespace toolway::gateway::admission
