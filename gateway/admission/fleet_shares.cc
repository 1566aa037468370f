#include "gateway/admission/fleet_shares.h"

#include <algorithm>
#include <limits>

#include "base/sha256.h"

namespace toolway::gateway::admission {
namespace {

constexpr std::size_t kNameLength = 32;

std::string share_name(std::string_view what, std::string_view of) {
  Sha256 digest;
  digest.add(what);
  digest.add(of);
  return digest.hex(kNameLength / 2);
}

void add_share(v1::SharesTold& told, const std::string& name, std::uint64_t waiting) {
  auto& share = *told.add_shares();
  share.set_name(name);
  share.set_waiting(static_cast<std::uint32_t>(
      std::min<std::uint64_t>(waiting, std::numeric_limits<std::uint32_t>::max())));
}

}  // namespace

void FleetShares::set(Told& told, const std::string& name, std::uint32_t waiting) {
  const auto before = told.shares.find(name);
  if (before == told.shares.end() && (waiting == 0 || told.shares.size() >= 2 * kMaxShares)) return;
  auto& total = totals_[name];
  if (before != told.shares.end()) total -= before->second;
  total += waiting;
  if (total == 0) totals_.erase(name);
  if (waiting == 0)
    told.shares.erase(before);
  else
    told.shares[name] = waiting;
}

void FleetShares::forget(Told& told) {
  while (!told.shares.empty()) set(told, std::string(told.shares.begin()->first), 0);
}

void FleetShares::heard(const std::string& gateway, const v1::SharesTold& told, MonotonicTime now) {
  if (gateways_.size() >= kMaxGateways && !gateways_.contains(gateway)) return;
  Told& of = gateways_[gateway];
  of.at = now;
  if (told.whole()) forget(of);
  for (const auto& share : told.shares()) {
    if (share.name().size() == kNameLength) set(of, share.name(), share.waiting());
  }
}

void FleetShares::expire(MonotonicTime now) {
  for (auto it = gateways_.begin(); it != gateways_.end();) {
    if (now - it->second.at <= kMaxSilence) {
      ++it;
      continue;
    }
    forget(it->second);
    it = gateways_.erase(it);
  }
}

std::uint64_t FleetShares::of(const std::string& name) const {
  const auto found = totals_.find(name);
  return found == totals_.end() ? 0 : found->second;
}

std::string session_share(std::string_view session_key) {
  return share_name("session\n", session_key);
}

std::string user_share(std::string_view owner) { return share_name("user\n", owner); }

v1::SharesTold whole_message(std::vector<std::pair<std::string, std::uint64_t>> shares) {
  if (shares.size() > FleetShares::kMaxShares) {
    std::ranges::nth_element(shares, shares.begin() + FleetShares::kMaxShares,
                             [](const auto& a, const auto& b) { return a.second > b.second; });
    shares.resize(FleetShares::kMaxShares);
  }
  v1::SharesTold told;
  told.set_whole(true);
  for (const auto& [name, waiting] : shares) add_share(told, name, waiting);
  return told;
}

v1::SharesTold change_message(const std::vector<std::pair<std::string, std::uint64_t>>& changed) {
  v1::SharesTold told;
  for (const auto& [name, waiting] : changed) {
    if (told.shares_size() == static_cast<int>(FleetShares::kMaxShares)) break;
    add_share(told, name, waiting);
  }
  return told;
}

}  // namespace toolway::gateway::admission
