#pragma once

#include <deque>
#include <functional>
#include <stop_token>
#include <thread>

#include "base/mutex.h"

namespace toolway::tools::executors::mcp_client {

/// Does one thing after the other on a thread of its own, for those who must not wait. Of too many
/// the new ones are dropped: nothing that has to happen may be left to it. Thread-safe.
class ErrandRunner {
 public:
  static constexpr std::size_t kMaxWaiting = 1'000;
  using Errand = std::function<void(const std::stop_token&)>;

  void later(Errand errand) {
    const MutexLock lock(mutex_);
    if (errands_.size() < kMaxWaiting) errands_.push_back(std::move(errand));
    changed_.notify_one();
  }

 private:
  void run(const std::stop_token& stop) {
    while (true) {
      Errand errand;
      {
        MutexLock lock(mutex_);
        if (!changed_.wait(lock, stop, [this]() REQUIRES(mutex_) { return !errands_.empty(); }))
          return;
        errand = std::move(errands_.front());
        errands_.pop_front();
      }
      errand(stop);
    }
  }

  Mutex mutex_;
  StoppableCondVar changed_;
  std::deque<Errand> errands_ GUARDED_BY(mutex_);
  std::jthread thread_{
      [this](std::stop_token stop) { run(stop); }};  // last: it uses all of the above
};

}  // namespace toolway::tools::executors::mcp_client
