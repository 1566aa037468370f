#pragma once

#include <chrono>
#include <optional>

#include "base/clock.h"

namespace toolway::extensions::services {

/// Whether a service that keeps failing is asked. Pure: it is told the time. One thread at a time.
class Breaker {
 public:
  static constexpr unsigned kFailures = 5;                ///< in a row
  static constexpr std::chrono::seconds kGivesUpFor{10};  ///< then one question is tried

  /// Nothing: ask, and say how that went. Otherwise how long it is left alone.
  std::optional<std::chrono::nanoseconds> wait(MonotonicTime now) {
    if (failures_ < kFailures) return std::nullopt;
    if (now < until_) return until_ - now;
    until_ = now + kGivesUpFor;  // others wait for how this one goes
    return std::nullopt;
  }
  void answered() { failures_ = 0; }
  void failed(MonotonicTime now) {
    if (failures_ < kFailures) ++failures_;
    if (failures_ == kFailures) until_ = now + kGivesUpFor;
  }

 private:
  unsigned failures_ = 0;  ///< in a row
  MonotonicTime until_{};
};

}  // namespace toolway::extensions::services
