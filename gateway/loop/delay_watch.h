#pragma once

#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "gateway/loop/asio_types.h"
#include "monitoring/metrics.h"

namespace toolway::gateway::loop {

/// When a loop that had that many turns in the last `interval` is looked at next. Looking is a
/// turn, so a loop that does little is looked at less often: else it would do little but be looked
/// at.
std::chrono::milliseconds next_look(std::uint64_t turns, std::chrono::milliseconds interval);

/// How late a loop gets to a due timer is how long everything waits. Keeps the longest delay of the
/// last 30 s in a gauge. On the loop's thread; of a process with several loops, each has its own.
class DelayWatch {
 public:
  /// `gauge` and `clock` must live longer.
  DelayWatch(asio::io_context& io, monitoring::Gauge& gauge, const Clock& clock)
      : timer_(io), gauge_(gauge), clock_(clock) {}

  /// After each turn of the loop.
  void turned() { ++turns_; }
  /// Returns once it is ended.
  Task<void> run();
  void end();

 private:
  Timer timer_;
  monitoring::Gauge& gauge_;
  const Clock& clock_;
  std::uint64_t turns_ = 0;  ///< so far
  bool ended_ = false;
};

}  // namespace toolway::gateway::loop
