#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::workers::log {

enum class LimitKind { kQueue, kRun, kTotal, kHeartbeat };
std::string_view limit_name(LimitKind kind);

/// The four limits of one call as instants. Pure. Submission is a wall-clock
/// time of another machine, so queue and total are only as good as the clocks.
class Deadlines {
 public:
  Deadlines(const v1::Limits& limits, WallTime submitted_at, WallTime wall, MonotonicTime now);

  void started(MonotonicTime now);
  /// An earlier attempt has started: the call no longer waits in a queue.
  void left_queue() { queue_at_ = MonotonicTime::max(); }
  void progressed(MonotonicTime now);
  /// Its tool waits for an answer until `waited`, which does not count as running. May be nested.
  void waits(MonotonicTime now);
  void waited(MonotonicTime now);

  /// The limit that is exceeded at `now`: queue only before the start, run and
  /// heartbeat only after it.
  std::optional<LimitKind> exceeded(MonotonicTime now) const;
  /// When `exceeded` may change; max: never.
  MonotonicTime next() const;
  /// How long `kind` allows.
  std::chrono::milliseconds allowed(LimitKind kind) const;

 private:
  const std::chrono::milliseconds queue_, run_, total_, heartbeat_;
  MonotonicTime queue_at_ = MonotonicTime::max();
  MonotonicTime total_at_ = MonotonicTime::max();
  MonotonicTime run_at_ = MonotonicTime::max();
  MonotonicTime heartbeat_at_ = MonotonicTime::max();
  int waits_ = 0;
  std::chrono::nanoseconds run_left_{0};  ///< while it waits
};

}  // namespace toolway::workers::log
