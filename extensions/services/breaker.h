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

  struct Leave {
    std::optional<std::chrono::nanoseconds> wait{};  ///< how long it is left alone; nothing: ask
    bool tries = false;  ///< the one question that tells whether it is back
  };
  /// Who may ask says how that went; of the one that tries, also that nothing came of it.
  Leave ask(MonotonicTime now) {
    if (failures_ < kFailures) return {};
    if (now < until_) return {.wait = until_ - now};
    until_ = now + kGivesUpFor;  // others wait for how this one goes
    return {.tries = true};
  }
  /// The question that was to try was not asked, or no one waits for its answer any more: the next
  /// one tries.
  void untried(MonotonicTime now) {
    if (failures_ == kFailures) until_ = now;
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
