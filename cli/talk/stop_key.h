#pragma once

#include <functional>
#include <thread>

#include "base/mutex.h"
#include "cli/process/stop_signals.h"

namespace toolway::cli::talk {

/// Ctrl-C (and SIGTERM): while a turn runs it stops the turn; otherwise, and the second time, it
/// ends the program with the status of a shell. One, made first in main's thread.
class StopKey {
 public:
  StopKey();
  ~StopKey();
  StopKey(const StopKey&) = delete;
  StopKey& operator=(const StopKey&) = delete;

  /// What stops the turn that begins now.
  void begin_turn(std::function<void()> stop);
  /// Whether it was stopped.
  bool end_turn();

 private:
  void pressed(int signal);

  process::StopSignals signals_;
  Mutex mutex_;
  std::function<void()> stop_ GUARDED_BY(mutex_);  ///< empty: no turn runs
  bool stopped_ GUARDED_BY(mutex_) = false;
  std::jthread watch_;  // last: it uses all of the above
};

}  // namespace toolway::cli::talk
