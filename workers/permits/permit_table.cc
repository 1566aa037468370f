#include "workers/permits/permit_table.h"

#include <fmt/format.h>

#include <utility>

#include "bus/topology.h"

namespace toolway::workers::permits {

std::string PermitTable::entry_name(const PermitAsked& asked, std::uint32_t number) {
  return fmt::format("{}-{}", asked.key, number);
}

void PermitTable::heard(const bus::Entry& entry, MonotonicTime now) {
  auto& known = known_[entry.key];
  // Heard before: its time counts from then.
  if (known.revision >= entry.revision) return;
  known = {.revision = entry.revision, .held = !entry.value.empty(), .heard_at = now};
}

void PermitTable::heard_all(const std::vector<bus::Entry>& entries, MonotonicTime now) {
  const auto before = std::exchange(known_, {});
  for (const auto& entry : entries) {
    const auto found = before.find(entry.key);
    // A bucket that was made again counts its writes from 1.
    if (found != before.end() && found->second.revision == entry.revision)
      known_[entry.key] = found->second;
    else
      heard(entry, now);
  }
}

void PermitTable::absent(const std::string& entry) { known_.erase(entry); }

void PermitTable::sweep(MonotonicTime now) {
  std::erase_if(known_,
                [now](const auto& one) { return now - one.second.heard_at >= bus::kPermitsAge; });
}

bool PermitTable::is_free(const std::string& entry, MonotonicTime now) const {
  if (asked_.contains(entry)) return false;
  const auto found = known_.find(entry);
  return found == known_.end() || !found->second.held || now - found->second.heard_at >= kFreeAfter;
}

bool PermitTable::full(const PermitAsked& asked, MonotonicTime now) const {
  for (std::uint32_t number = 0; number < asked.most; ++number) {
    if (is_free(entry_name(asked, number), now)) return false;
  }
  return true;
}

std::optional<PermitTable::Free> PermitTable::choose(const PermitAsked& asked, MonotonicTime now) {
  const auto first = static_cast<std::uint32_t>(next_++ % asked.most);
  for (std::uint32_t i = 0; i < asked.most; ++i) {
    auto entry = entry_name(asked, (first + i) % asked.most);
    if (!is_free(entry, now)) continue;
    const auto found = known_.find(entry);
    asked_.insert(entry);
    return Free{.entry = std::move(entry),
                .revision = found == known_.end() ? 0 : found->second.revision};
  }
  return std::nullopt;
}

void PermitTable::answered(const std::string& entry) { asked_.erase(entry); }

}  // namespace toolway::workers::permits
