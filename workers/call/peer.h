#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/clock.h"

/// Whether a call that came again is taken over from the worker that wrote its last event. A
/// delivery comes again within seconds, also because NATS stalled or an extension was lost; so its
/// worker is asked first. Pure.
namespace toolway::workers::call {

/// What the other worker answers when asked whether it holds the call.
enum class PeerSays : std::uint8_t {
  kHolds,
  kDoesNotHold,
  kNotThere,  ///< it has no connection to NATS
  kSilent,    ///< it is connected, but does not answer
};

struct PeerFacts {
  PeerSays says = PeerSays::kHolds;
  unsigned asked = 1;  ///< how often, this time included
  /// How long the bus has answered us without a gap: the other one had that long to come back.
  std::chrono::nanoseconds steady_for{0};
  std::chrono::microseconds last_event_age{0};
};

enum class TakeOver : std::uint8_t { kNow, kAskAgain, kLeave };

/// `settle`: how long the bus must have been steady.
TakeOver take_over(const PeerFacts& facts, std::chrono::milliseconds settle);

/// Since when the bus has answered without a gap. Thread-safe.
class BusSteadiness {
 public:
  explicit BusSteadiness(MonotonicTime now) : since_(in_ns(now)), answered_(in_ns(now)) {}
  /// The connection is up, again or for the first time.
  void connected(MonotonicTime now) { since_ = answered_ = in_ns(now); }
  /// It has answered one of the questions that are asked every second.
  void answered(MonotonicTime now);
  std::chrono::nanoseconds steady_for(MonotonicTime now) const;

 private:
  static std::int64_t in_ns(MonotonicTime time) {
    return std::chrono::nanoseconds(time.time_since_epoch()).count();
  }
  std::atomic<std::int64_t> since_;
  std::atomic<std::int64_t> answered_;
};

}  // namespace toolway::workers::call
