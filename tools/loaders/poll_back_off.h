#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/back_off.h"

namespace toolway::tools::loaders {

/// When to ask again after failures: twice as long each time, at most a minute,
/// by up to half a pause earlier, so that many processes do not ask at once.
class PollBackOff {
 public:
  using Milliseconds = std::chrono::milliseconds;
  explicit PollBackOff(Milliseconds interval) : interval_(interval), pause_(interval) {}

  void succeeded() {
    failures_ = 0;
    pause_ = interval_;
  }

  /// `chance`: from 0 to 1. `retry_after`: what the other side asked for; an
  /// hour of it is honoured.
  void failed(double chance, std::optional<Milliseconds> retry_after = std::nullopt) {
    failures_ = std::min(failures_ + 1, 16U);
    const auto longest = std::max<Milliseconds>(kMaxDelay, interval_);
    const auto full = doubled(interval_, failures_ - 1, longest);
    pause_ = Milliseconds(
        static_cast<Milliseconds::rep>(static_cast<double>(full.count()) * (1 - chance / 2)));
    if (retry_after)
      pause_ = std::max(pause_, std::min<Milliseconds>(*retry_after, std::chrono::hours(1)));
  }

  Milliseconds pause() const { return pause_; }

 private:
  static constexpr std::chrono::seconds kMaxDelay{60};
  const Milliseconds interval_;
  unsigned failures_ = 0;
  Milliseconds pause_;
};

}  // namespace toolway::tools::loaders
