#pragma once

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace toolway::bus {

/// Lets handlers run until it is closed. `close` returns once none runs
/// (except the one it is called from), so what they use may be destroyed.
class HandlerGate {
 public:
  /// Runs `handler` and returns true; or, once closed, returns false.
  template <typename Handler>
  bool run(Handler&& handler) {
    {
      const MutexLock lock(mutex_);
      if (closed_) return false;
      inside_.push_back(std::this_thread::get_id());
    }
    const Leaving leaving{*this};  // also when the handler throws
    std::forward<Handler>(handler)();
    return true;
  }

  void close() {
    MutexLock lock(mutex_);
    closed_ = true;
    left_.wait(lock, [this]() REQUIRES(mutex_) {
      return std::all_of(inside_.begin(), inside_.end(),
                         [](std::thread::id id) { return id == std::this_thread::get_id(); });
    });
  }

 private:
  struct Leaving {
    HandlerGate& gate;
    ~Leaving() { gate.leave(); }
  };
  void leave() {
    const MutexLock lock(mutex_);
    inside_.erase(std::find(inside_.begin(), inside_.end(), std::this_thread::get_id()));
    if (closed_) left_.notify_all();
  }

  Mutex mutex_;
  CondVar left_;
  bool closed_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread::id> inside_ GUARDED_BY(mutex_);
};

}  // namespace toolway::bus
