#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace toolway::extensions {

/// How many calls a limit lets through: a bucket of `burst` tokens, of which each call takes one
/// and one comes back every `interval` (GCRA, as ATM's conformance test of I.371).
struct Rate {
  std::chrono::nanoseconds interval{std::chrono::seconds(1)};
  std::uint32_t burst = 1;

  /// How long an empty bucket takes until it is full.
  std::chrono::nanoseconds refill() const { return interval * burst; }
};

/// What a limit counts apart.
enum class Per { kTenant, kUser, kKey, kSession, kTool };

/// What a limit limits, of the whole fleet.
enum class LimitKind {
  kRate,     ///< calls accepted in time: `rate`
  kWaiting,  ///< calls accepted that no worker was given yet: `most`
  kRunning,  ///< calls whose tool runs: `most`
};

/// A limit that a rule sets. Empty `per`: one count for all calls that the rule is about.
struct Limit {
  std::string name;  ///< of its rule
  Rate rate;
  std::vector<Per> per;
  LimitKind kind = LimitKind::kRate;
  std::uint32_t most = 0;  ///< at once; not of a rate
};

}  // namespace toolway::extensions
