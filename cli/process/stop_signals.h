#pragma once

#include <chrono>
#include <optional>

namespace toolway::cli {

/// SIGINT, SIGTERM and SIGHUP as something to wait for. Make it first in main's
/// thread: it blocks them there, and every thread started later inherits that, so
/// no code of ours ever runs inside a signal handler.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Ends a `wait` as a signal would. Thread-safe.
  void wake() const;

  /// The next signal, waited for at most `timeout`; forever without one. Nothing when woken.
  std::optional<int> wait(std::optional<std::chrono::milliseconds> timeout = std::nullopt);

 private:
  int fd_;
  int wake_fd_;
};

}  // namespace toolway::cli
