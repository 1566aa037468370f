#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <thread>

#include "base/clock.h"
#include "base/mutex.h"
#include "chat/turns/beat.h"

namespace toolway::chat::turns {

/// Sends what turns hold back, at ticks that are common to all of them: the reports of many turns
/// then leave in one write, and NATS takes them in one turn. One thread, which sleeps while nothing
/// is held. Thread-safe.
class ReportTicker {
 public:
  static constexpr std::chrono::milliseconds kTick{25};

  /// `clock` outlives it. kWhenTold: nothing ticks, and no `send` is called.
  explicit ReportTicker(const Clock& clock, Beat beat = Beat::kOnItsThread);

  /// `send` is called at the first tick from `due` on, once, on the ticker's thread. `turn`: whose
  /// it is; each has one at most, the first.
  void hold(const void* turn, MonotonicTime due, std::function<void()> send);
  /// Once this has returned, what was held of `turn` is not sent any more.
  void release(const void* turn);

 private:
  struct Waiting {
    MonotonicTime due;
    std::function<void()> send;
  };
  void run(const std::stop_token& stop);
  void send_due(MonotonicTime now);

  const Clock& clock_;
  Mutex mutex_;
  StoppableCondVar came_;
  std::map<const void*, Waiting> held_ GUARDED_BY(mutex_);
  std::jthread thread_;  // the last one: it uses the others
};

/// The last tick that is not after `at`.
MonotonicTime tick_before(MonotonicTime at);

}  // namespace toolway::chat::turns
