#pragma once

#include <chrono>
#include <thread>

#include "base/clock.h"
#include "monitoring/metrics.h"

namespace toolway::monitoring {

/// How long the turns of one loop take, in CPU time of its thread: what a loop does in a turn makes
/// all others wait, and what other processes do on the same core in the middle of it is not its
/// doing. Sets kLongestTurn, and counts kLongTurns. On the loop's thread.
class TurnWatch {
 public:
  /// No turn should take longer, whatever clients, tools and servers send.
  static constexpr std::chrono::milliseconds kLongTurn{10};
  /// Waiting takes no CPU time, so no call says when each turn begins. Reading that time costs a
  /// system call: turns that end sooner after the last reading count together with the next.
  static constexpr std::chrono::microseconds kLookInterval{500};
  /// The gauge is about the last one or two of them.
  static constexpr std::chrono::seconds kWindow{30};

  /// `metrics` and `clock` must live longer. `loop` is which one of the process this is.
  TurnWatch(Metrics& metrics, const Clock& clock, unsigned loop = 0);

  /// Before the first turn in a thread, and after the thread has done something else.
  void begins() {
    const MonotonicTime now = clock_.monotonic();
    const auto thread = std::this_thread::get_id();
    if (thread == thread_ && now - looked_ < kLookInterval) return;
    thread_ = thread;
    looked_ = now;
    cpu_ = cpu_time();
  }
  /// After each turn.
  void ended() {
    const MonotonicTime now = clock_.monotonic();
    if (now - looked_ >= kLookInterval) look(now, cpu_time());
  }
  /// The same, `now` and when the thread has used `cpu`.
  void look(MonotonicTime now, std::chrono::nanoseconds cpu);

 private:
  static std::chrono::nanoseconds cpu_time();

  const Clock& clock_;
  Gauge& gauge_;
  Counter& long_turns_;
  std::thread::id thread_;
  MonotonicTime looked_{};
  std::chrono::nanoseconds cpu_{};
  MonotonicTime window_{};  ///< when it began
  std::chrono::nanoseconds longest_{};
  std::chrono::nanoseconds longest_before_{};  ///< in the window before
};

}  // namespace toolway::monitoring
