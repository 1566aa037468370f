#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/clock.h"

namespace toolway {

/// A burst at once, then a rate per second. Pure: time is passed in. Not thread-safe.
class TokenBucket {
 public:
  struct Rate {
    double burst;
    double per_second;
  };
  explicit TokenBucket(Rate rate) : rate_(rate), tokens_(rate.burst) {}

  /// Whether one may pass at `now`; if so, counts it. `overdraft`: how many more may pass than
  /// there are tokens for; those that come next pay for them.
  bool take(MonotonicTime now, double overdraft = 0) {
    refill(now);
    if (tokens_ + overdraft < 1) return false;
    tokens_ -= 1;
    return true;
  }

  /// Takes `count`, a whole burst at most, whether they are there or not: when they will be. Those
  /// that come next wait for them.
  MonotonicTime reserve(MonotonicTime now, double count = 1) {
    refill(now);
    tokens_ -= std::min(count, rate_.burst);
    if (tokens_ >= 0) return now;
    const std::chrono::duration<double> wait(-tokens_ / rate_.per_second);
    return now + std::chrono::ceil<MonotonicTime::duration>(wait);
  }

  /// Gives back what was taken and not needed; below 0, takes what was needed besides.
  void give_back(double count) { tokens_ = std::min(rate_.burst, tokens_ + count); }

  /// Whether a whole burst may pass.
  bool full(MonotonicTime now) {
    refill(now);
    return tokens_ >= rate_.burst;
  }

  /// When the next one may pass.
  MonotonicTime ready_at(MonotonicTime now) {
    refill(now);
    if (tokens_ >= 1) return now;
    const std::chrono::duration<double> wait((1 - tokens_) / rate_.per_second);
    // Rounded up: a wake-up that comes too early would find nothing and repeat.
    return now + std::chrono::duration_cast<std::chrono::microseconds>(wait) +
           std::chrono::microseconds(10);
  }

 private:
  void refill(MonotonicTime now) {
    if (filled_at_) {
      const std::chrono::duration<double> passed = now - *filled_at_;
      tokens_ = std::min(rate_.burst, tokens_ + passed.count() * rate_.per_second);
    }
    filled_at_ = now;
  }

  Rate rate_;
  double tokens_;
  std::optional<MonotonicTime> filled_at_;
};

}  // namespace toolway
