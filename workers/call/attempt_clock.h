#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "proto/toolway/v1/call.pb.h"
#include "workers/log/call_log.h"
#include "workers/log/deadlines.h"
#include "workers/worker.h"

namespace toolway::workers::call {

/// What falls due for a call's attempt as time passes: its limits, its signs of life, the end of
/// the time in which its Started is held back. Pure; not thread-safe.
class AttemptClock {
 public:
  /// What counts as progress, besides reports that were taken.
  struct Progress {
    bool reports_wait = false;                     ///< that were not taken
    std::optional<std::uint32_t> chunks_stored{};  ///< of a large result; nothing: there is none
  };

  /// `options` must outlive it.
  AttemptClock(const v1::CallRequest& request, const WorkerOptions& options, WallTime wall,
               MonotonicTime now);

  /// An earlier attempt has started: the call no longer waits in a queue.
  void left_queue() { deadlines_.left_queue(); }
  void started(log::CallLog::StartEvent event, MonotonicTime now);
  /// Its Started is not held back any more.
  void start_released() { merge_until_ = MonotonicTime::max(); }
  void progressed(MonotonicTime now) { deadlines_.progressed(now); }
  /// Its tool waits for answers to the questions `keys`, until `waited`. May be nested.
  void waits(const std::vector<std::string>& keys, MonotonicTime now);
  void waited(const std::vector<std::string>& keys, MonotonicTime now);
  /// The questions whose answers it waits for.
  const std::vector<std::string>& waits_for() const { return waits_for_; }
  /// It has waited for the same answers for as long as it may keep a slot: true once per
  /// `park_after`.
  bool park_due(MonotonicTime now);

  /// The limit that is exceeded at `now`; see `Deadlines`.
  std::optional<log::LimitKind> exceeded(MonotonicTime now) const {
    return deadlines_.exceeded(now);
  }
  /// How an attempt ends that exceeds it.
  v1::Completed timed_out(log::LimitKind limit) const;
  /// Looks at the limits of a running attempt. True: it exceeds one, `timed_out` from now on.
  bool past_limit(const Progress& progress, MonotonicTime now);
  /// After `past_limit`.
  v1::Completed timed_out() const { return timed_out(*exceeded_); }

  /// A running attempt says again that it is alive: true once per interval.
  bool alive_due(MonotonicTime now);
  /// Its Started is held back no longer: true once.
  bool start_due(MonotonicTime now);

  /// When a running attempt says something next.
  MonotonicTime next_event() const;
  MonotonicTime next_limit() const { return deadlines_.next(); }
  /// When `park_due`; max: it waits for nothing.
  MonotonicTime parks_at() const { return parks_at_; }

 private:
  const WorkerOptions& options_;
  log::Deadlines deadlines_;
  std::optional<log::LimitKind> exceeded_;
  std::uint32_t chunks_seen_ = 0;  ///< that counted as progress
  MonotonicTime alive_at_ = MonotonicTime::max();
  MonotonicTime merge_until_ = MonotonicTime::max();
  std::vector<std::string> waits_for_;
  MonotonicTime parks_at_ = MonotonicTime::max();
};

}  // namespace toolway::workers::call
