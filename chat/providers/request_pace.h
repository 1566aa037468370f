#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/token_bucket.h"

namespace toolway::chat::providers {

/// What a provider allows a process; 0: as much as it likes.
struct PaceLimits {
  std::uint64_t requests = 0;  ///< a minute
  std::uint64_t tokens = 0;    ///< a minute, those of replies included
};

/// Keeps the requests of a process within its limits: each takes its share at once, and waits until
/// that is there. A minute's share may be taken at once. From any thread; the limits are always the
/// same.
class RequestPace {
 public:
  /// For how long a request that begins now has to wait. `tokens`: about as many will it be; one of
  /// more than a minute's share counts as a minute's.
  std::chrono::milliseconds take(const PaceLimits& limits, std::uint64_t tokens, MonotonicTime now);
  /// What it really took.
  void correct(const PaceLimits& limits, std::uint64_t taken, std::uint64_t used);

 private:
  Mutex mutex_;
  std::optional<TokenBucket> requests_ GUARDED_BY(mutex_);
  std::optional<TokenBucket> tokens_ GUARDED_BY(mutex_);
};

}  // namespace toolway::chat::providers
