#include "tests/chaos/outages.h"

#include <algorithm>

namespace toolway::chaos {

void Outages::add(const std::string& gateway, Span span) {
  const std::lock_guard lock(mutex_);
  spans_[gateway].push_back(span);
}

void Outages::open(const std::string& gateway, std::int64_t from_us) {
  add(gateway, {from_us, kGoesOn});
}

void Outages::close(const std::string& gateway, std::int64_t to_us) {
  const std::lock_guard lock(mutex_);
  for (auto& span : spans_[gateway])
    if (span.to_us == kGoesOn) span.to_us = to_us;
}

std::int64_t Outages::settled(const std::string& gateway, std::int64_t at_us) const {
  const std::lock_guard lock(mutex_);
  std::vector<Span> all;
  for (const auto& of : {std::string(), gateway})
    if (const auto found = spans_.find(of); found != spans_.end())
      all.insert(all.end(), found->second.begin(), found->second.end());
  // Those that overlap count as one: from the latest to the earliest.
  std::ranges::sort(all, {}, [](const Span& span) { return -span.from_us; });
  auto settled = at_us - kInForceWithin;
  auto reached = at_us;
  for (const auto& span : all) {
    if (span.from_us > at_us) continue;
    const bool over =
        span.to_us != kGoesOn && span.to_us + kConnectsWithin + kInForceWithin < reached;
    if (over) continue;
    settled = std::min(settled, span.from_us - kInForceWithin);
    reached = std::min(reached, span.from_us);
  }
  return settled;
}

}  // namespace toolway::chaos
