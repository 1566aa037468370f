#pragma once

#include <chrono>
#include <cstdint>

namespace toolway {

/// Wall-clock instants, microseconds since the Unix epoch: what messages and rows carry.
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;
/// Instants for limits and time-outs; never goes back.
using MonotonicTime = std::chrono::steady_clock::time_point;

/// The one source of time, passed in so that tests own it. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime wall() const = 0;
  virtual MonotonicTime monotonic() const = 0;
};

class SystemClock final : public Clock {
 public:
  WallTime wall() const override {
    return std::chrono::time_point_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now());
  }
  MonotonicTime monotonic() const override { return std::chrono::steady_clock::now(); }
};

inline std::int64_t to_unix_us(WallTime time) { return time.time_since_epoch().count(); }
inline WallTime from_unix_us(std::int64_t us) { return WallTime(std::chrono::microseconds(us)); }

}  // namespace toolway
