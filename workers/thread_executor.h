#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

#include "base/clock.h"
#include "workers/executor.h"
#include "workers/timer.h"

namespace toolway::workers {

struct ThreadExecutorOptions {
  std::size_t max_threads = 128;
  std::chrono::milliseconds spawn_after{2};    ///< the queue's head waited so long, nobody idle
  std::chrono::seconds idle_timeout{5};        ///< then a thread beyond the first ends
};

/// The threads on which tools run: few at first, more while calls wait for one,
/// fewer again when they idle. A thread whose tool does not come back can be
/// abandoned: it no longer counts, and ends when the tool returns. Thread-safe.
class ThreadExecutor final : public Executor,
                             public Timed,
                             public std::enable_shared_from_this<ThreadExecutor> {
 public:
  ThreadExecutor(const Clock& clock, Timer& timer, ThreadExecutorOptions options)
      : clock_(clock), timer_(timer), options_(options) {}

  void submit(std::shared_ptr<Task> task) override;
  void abandon() override;
  void abandoned_returned() override;
  void stop(std::chrono::milliseconds patience) override;

  std::size_t abandoned() const;
  std::size_t threads() const override;

  /// Looks whether the head of the queue has waited too long.
  void on_time(MonotonicTime now) override;
  bool over() const override { return false; }

 private:
  struct Waiting {
    std::shared_ptr<Task> task;
    MonotonicTime since;
  };

  void spawn();       // under mutex_
  void thread_main();
  bool may_spawn() const { return threads_ < options_.max_threads + abandoned_; }

  const Clock& clock_;
  Timer& timer_;
  const ThreadExecutorOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable ended_;
  // All below: under mutex_.
  std::deque<Waiting> queue_;
  std::size_t threads_ = 0;
  std::size_t idle_ = 0;
  std::size_t abandoned_ = 0;
  bool waking_ = false;      ///< a thread was notified and has not looked yet
  bool check_due_ = false;   ///< the timer will call on_time
  bool stopping_ = false;
};

}  // namespace toolway::workers
