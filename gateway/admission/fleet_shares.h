#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "proto/toolway/v1/control.pb.h"

namespace toolway::gateway::admission {

/// What the other gateways have told of the calls that they accepted and that wait. A gateway that
/// is silent for a while is gone, and what it told with it. Pure; on one thread.
class FleetShares {
 public:
  /// Gateways with something to tell do so every second.
  static constexpr std::chrono::milliseconds kMaxSilence{3500};
  static constexpr std::size_t kMaxGateways = 1'000;
  /// Shares in one message: the largest.
  static constexpr std::size_t kMaxShares = 1'000;

  /// Ignores what is not well formed.
  void heard(const std::string& gateway, const v1::SharesTold& told, MonotonicTime now);
  /// Forgets the ones that are gone.
  void expire(MonotonicTime now);
  /// Calls that wait at all others together.
  std::uint64_t of(const std::string& name) const;
  bool empty() const { return totals_.empty(); }

 private:
  struct Told {
    std::unordered_map<std::string, std::uint32_t> shares;
    MonotonicTime at{};
  };
  void forget(Told& told);
  void set(Told& told, const std::string& name, std::uint32_t waiting);

  std::unordered_map<std::string, Told> gateways_;
  std::unordered_map<std::string, std::uint64_t> totals_;  ///< by share
};

/// Under which a session's share is told of; no session key leaves the gateway.
std::string session_share(std::string_view session_key);
/// The same of a user; `owner`: wire::owner_name.
std::string user_share(std::string_view owner);

/// Of these the largest, in one message.
v1::SharesTold whole_message(std::vector<std::pair<std::string, std::uint64_t>> shares);
v1::SharesTold change_message(const std::vector<std::pair<std::string, std::uint64_t>>& changed);

}  // namespace toolway::gateway::admission
