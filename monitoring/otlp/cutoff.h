#pragma once

#include <algorithm>
#include <chrono>

#include "base/mutex.h"

namespace toolway::monitoring::otlp {

/// The instant after which all waiting ends: never, until the process ends. Thread-safe.
class Cutoff {
 public:
  using Time = std::chrono::steady_clock::time_point;

  void set(Time at) {
    const MutexLock lock(mutex_);
    at_ = at;
    changed_.notify_all();
  }
  bool passed() const {
    const MutexLock lock(mutex_);
    return std::chrono::steady_clock::now() >= at_;
  }
  /// Sleeps until `until`, or the cutoff if that comes before. False: the cutoff came.
  bool sleep_until(Time until) const {
    MutexLock lock(mutex_);
    for (;;) {
      const Time now = std::chrono::steady_clock::now();
      if (now >= at_) return false;
      if (now >= until) return true;
      changed_.wait_until(lock, std::min(until, at_));
    }
  }

 private:
  mutable Mutex mutex_;
  mutable CondVar changed_;
  Time at_ GUARDED_BY(mutex_) = Time::max();
};

}  // namespace toolway::monitoring::otlp
