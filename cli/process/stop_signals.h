#pragma once

#include <chrono>
#include <optional>

#include "base/os/file_descriptor.h"
#include "base/os/wake_fd.h"

namespace toolway::cli::process {

/// SIGINT, SIGTERM and SIGHUP as something to wait for. Make it first in main's
/// thread: it blocks them there, and every thread started later inherits that, so
/// no code of ours ever runs inside a signal handler.
class StopSignals {
 public:
  StopSignals();

  /// Ends a `wait` as a signal would. Thread-safe.
  void wake() const { woken_.call(); }

  /// The next signal, waited for at most `timeout`; forever without one. Nothing when woken.
  std::optional<int> wait(std::optional<std::chrono::milliseconds> timeout = std::nullopt);

 private:
  os::FileDescriptor signals_;
  os::WakeFd woken_;
};

}  // namespace toolway::cli::process
