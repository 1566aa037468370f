#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <stop_token>
#include <thread>

#include "base/clock.h"
#include "base/mutex.h"

namespace toolway::tools::executors::mcp_client {

/// Does one thing after the other on a thread of its own, for those who must not wait: what is
/// given no time at once, in order, and the rest when it is due. Of too many the new ones are
/// dropped: nothing that has to happen may be left to it. Thread-safe.
class ErrandRunner {
 public:
  static constexpr std::size_t kMaxWaiting = 1'000;
  using Errand = std::function<void(const std::stop_token&)>;

  /// False: dropped.
  bool later(Errand errand, MonotonicTime at = MonotonicTime::min()) {
    const MutexLock lock(mutex_);
    if (errands_.size() >= kMaxWaiting) return false;
    errands_.emplace(at, std::move(errand));
    changed_.notify_one();
    return true;
  }

 private:
  void run(const std::stop_token& stop) {
    while (true) {
      Errand errand;
      {
        MutexLock lock(mutex_);
        if (!changed_.wait(lock, stop, [this]() REQUIRES(mutex_) { return !errands_.empty(); }))
          return;
        const auto due = [this]() REQUIRES(mutex_) {
          return errands_.begin()->first <= std::chrono::steady_clock::now();
        };
        if (!due()) {
          const auto at = errands_.begin()->first;
          changed_.wait_until(lock, stop, at, due);
          if (stop.stop_requested()) return;
          continue;
        }
        errand = std::move(errands_.begin()->second);
        errands_.erase(errands_.begin());
      }
      errand(stop);
    }
  }

  Mutex mutex_;
  StoppableCondVar changed_;
  std::multimap<MonotonicTime, Errand> errands_ GUARDED_BY(mutex_);
  std::jthread thread_{
      [this](std::stop_token stop) { run(stop); }};  // last: it uses all of the above
};

}  // namespace toolway::tools::executors::mcp_client
