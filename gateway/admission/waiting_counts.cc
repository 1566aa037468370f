#include "gateway/admission/waiting_counts.h"

namespace toolway::gateway::admission {

std::uint64_t WaitingCounts::of(const std::string& key) const {
  const auto found = counts_.find(key);
  return found == counts_.end() ? 0 : found->second;
}

std::vector<std::pair<std::string, std::uint64_t>> WaitingCounts::take_changed() {
  std::vector<std::pair<std::string, std::uint64_t>> taken;
  for (const auto& key : changed_) taken.emplace_back(key, of(key));
  changed_.clear();
  return taken;
}

void WaitingCounts::add(const std::string& key) {
  ++counts_[key];
  changed_.insert(key);
}

void WaitingCounts::remove(const std::string& key) {
  const auto found = counts_.find(key);
  if (--found->second == 0) counts_.erase(found);
  changed_.insert(key);
}

WaitingPlace::WaitingPlace(WaitingCounts& counts, std::vector<std::string> keys)
    : counts_(counts), keys_(std::move(keys)) {
  for (const auto& key : keys_) counts_.add(key);
}

WaitingPlace::~WaitingPlace() {
  for (const auto& key : keys_) counts_.remove(key);
}

}  // namespace toolway::gateway::admission
