#pragma once

#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "base/mutex.h"

namespace toolway::chat::providers {

/// What a provider allows a process; 0: as much as it likes.
struct PaceLimits {
  std::uint64_t requests = 0;  ///< a minute
  std::uint64_t tokens = 0;    ///< a minute, those of replies included
};

/// Keeps the requests of a process within its limits: each takes its share at once, and waits until
/// that is there. A minute's share may be taken at once. From any thread.
class RequestPace {
 public:
  /// For how long a request that begins now has to wait. `tokens`: about as many will it be; one of
  /// more than a minute's share counts as a minute's.
  std::chrono::milliseconds take(const PaceLimits& limits, std::uint64_t tokens, MonotonicTime now);
  /// What it really took.
  void correct(const PaceLimits& limits, std::uint64_t taken, std::uint64_t used);

 private:
  /// What is left of a minute's share; below 0: what is waited for.
  struct Left {
    double amount = 0;
    MonotonicTime at{};
    bool begun = false;
    std::chrono::milliseconds take(std::uint64_t per_minute, std::uint64_t cost, MonotonicTime now);
  };
  Mutex mutex_;
  Left requests_ GUARDED_BY(mutex_);
  Left tokens_ GUARDED_BY(mutex_);
};

}  // namespace toolway::chat::providers
