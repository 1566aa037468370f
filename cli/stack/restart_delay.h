#pragma once

#include <chrono>

#include "base/back_off.h"

namespace toolway::cli::stack {

/// When to start a process again that has ended: 100 ms at first, doubling to 5 s;
/// every 30 s once it has ended five times in a row right after its start,
/// since that is not bad luck. Starts over once it has run for 30 s.
class RestartDelay {
 public:
  using Milliseconds = std::chrono::milliseconds;
  static constexpr std::chrono::seconds kAtOnce{5};
  static constexpr unsigned kHopeless = 5;

  /// It has ended after `ran`: how long to wait.
  Milliseconds next(std::chrono::steady_clock::duration ran) {
    ends_at_once_ = ran < kAtOnce ? ends_at_once_ + 1 : 0;
    if (hopeless()) return Milliseconds(30000);
    if (ran > std::chrono::seconds(30)) back_off_.succeeded();
    return back_off_.failed();
  }
  bool hopeless() const { return ends_at_once_ >= kHopeless; }

 private:
  unsigned ends_at_once_ = 0;
  BackOff back_off_{Milliseconds(100), Milliseconds(5000)};
};

}  // namespace toolway::cli::stack
