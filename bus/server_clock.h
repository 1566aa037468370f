#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "base/clock.h"

namespace toolway::bus {

/// A clock further from the NATS server's than this is wrong: its process says so and does not
/// reap.
inline constexpr std::chrono::seconds kMaxClockOffset{5};

/// The time of day as the NATS server has it, which every process of a fleet follows: what one of
/// them writes (submitted_at, an event's time) can be compared with what another one reads and with
/// the time at which the server stored a message, whatever the clocks of their machines show.
/// Between two readings it runs with the monotonic clock, so a machine whose clock is set does not
/// move it. Before the first reading it shows the local clock. Thread-safe; `read` is for one
/// thread. The local clock must outlive it.
class ServerClock final : public Clock {
 public:
  explicit ServerClock(const Clock& local) : local_(local) {}

  WallTime wall() const override;
  MonotonicTime monotonic() const override { return local_.monotonic(); }

  /// The server's clock showed `server` at some moment from `begun` to `ended`, our monotonic
  /// times.
  void read(MonotonicTime begun, WallTime server, MonotonicTime ended);
  bool known() const { return shift_.load(std::memory_order_relaxed) != kUnknown; }
  /// How far the local clock is ahead of the server's now; nothing: no reading yet.
  std::optional<std::chrono::microseconds> ahead() const;

 private:
  static constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::min();
  const Clock& local_;
  std::atomic<std::int64_t> shift_{kUnknown};  ///< the server's time less the monotonic one, in µs
};

/// Whether a clock that is this far ahead (negative: behind) can be relied on. Pure.
bool clock_is_right(std::optional<std::chrono::microseconds> ahead);
/// For people: "ok", "not known yet" or "3600.0 s fast by NATS' clock". Pure.
std::string clock_in_words(std::optional<std::chrono::microseconds> ahead);

}  // namespace toolway::bus
