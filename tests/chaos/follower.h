#pragma once

#include <atomic>
#include <functional>

#include "tests/chaos/agent.h"

namespace toolway::chaos {

/// Follows whatever session an agent uses, from its first event, and lets go at random moments
/// to continue at another gateway. One thread.
class Follower {
 public:
  /// The session that an agent uses now, as it says.
  using Watch = std::function<std::optional<Watched>()>;
  Follower(AgentParts parts, Watch watch, std::uint64_t seed)
      : parts_(parts), watch_(std::move(watch)), random_(seed) {}
  void run(const std::atomic<bool>& stop);

 private:
  /// One connection; returns the last id seen.
  std::string follow_once(const Watched& watched, const std::string& after,
                          const std::atomic<bool>& stop);
  /// Whether the agent has left the session, for good or to let it expire.
  bool moved_on(const Watched& watched) const;

  AgentParts parts_;
  const Watch watch_;
  Randomness random_;
};

}  // namespace toolway::chaos
