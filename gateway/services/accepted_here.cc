#include "gateway/services/accepted_here.h"

namespace toolway::gateway {

void AcceptedHere::note(const std::string& call_id, std::uint64_t sequence) {
  const auto [place, added] = sequences_.insert_or_assign(call_id, sequence);
  if (!added) return;
  by_age_.push_back(&*place);
  if (sequences_.size() <= most_) return;
  sequences_.erase(sequences_.find(by_age_.front()->first));
  by_age_.pop_front();
}

std::optional<std::uint64_t> AcceptedHere::find(const std::string& call_id) const {
  const auto found = sequences_.find(call_id);
  return found == sequences_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace toolway::gateway
