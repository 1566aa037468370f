#pragma once

#include <atomic>
#include <chrono>

#include "base/clock.h"

namespace toolway::test {

/// Time that passes only when the test says so. Thread-safe.
class StoppedClock final : public Clock {
 public:
  explicit StoppedClock(WallTime start = SystemClock().wall()) : start_(start) {}
  WallTime wall() const override { return start_ + passed_.load(); }
  MonotonicTime monotonic() const override { return monotonic_ + passed_.load(); }
  void advance(std::chrono::microseconds by) { passed_ = passed_.load() + by; }

 private:
  const WallTime start_;
  const MonotonicTime monotonic_ = SystemClock().monotonic();
  std::atomic<std::chrono::microseconds> passed_{std::chrono::microseconds(0)};
};

/// The system's time, and what the test adds to it. Thread-safe.
class MovedClock final : public Clock {
 public:
  using By = std::chrono::microseconds;

  WallTime wall() const override { return real_.wall() + wall_.load(); }
  MonotonicTime monotonic() const override { return real_.monotonic() + monotonic_.load(); }
  void move(By by) {
    move_wall(by);
    move_monotonic(by);
  }
  /// As when a machine's clock is set.
  void move_wall(By by) { wall_ = wall_.load() + by; }
  void move_monotonic(By by) { monotonic_ = monotonic_.load() + by; }

 private:
  SystemClock real_;
  std::atomic<By> wall_{By(0)};
  std::atomic<By> monotonic_{By(0)};
};

}  // namespace toolway::test
