#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "base/clock.h"
#include "workers/timer.h"

namespace toolway::workers {

/// Something to run on a thread of the executor, once.
class Task {
 public:
  virtual ~Task() = default;
  virtual void run() = 0;
  /// Whether the thread will probably look at the queue again at once.
  virtual bool quick() const = 0;
};

struct ExecutorOptions {
  std::size_t max_threads = 128;
  std::chrono::milliseconds spawn_after{2};    ///< the queue's head waited so long, nobody idle
  std::chrono::seconds idle_timeout{5};        ///< then a thread beyond the first ends
};

/// The threads on which tools run: few at first, more while calls wait for one,
/// fewer again when they idle. A thread whose tool does not come back can be
/// abandoned: it no longer counts, and ends when the tool returns. Thread-safe.
class Executor final : public Timed, public std::enable_shared_from_this<Executor> {
 public:
  Executor(const Clock& clock, Timer& timer, ExecutorOptions options)
      : clock_(clock), timer_(timer), options_(options) {}

  void submit(std::shared_ptr<Task> task);
  /// The thread that runs some task is given up: another may take its place.
  void abandon();
  /// Called by an abandoned task just before its `run` returns.
  void abandoned_returned();
  /// Runs nothing more. Waits for all threads but the abandoned ones, at most
  /// `patience`; those that are left touch nothing but this object.
  void stop(std::chrono::milliseconds patience);

  std::size_t abandoned() const;
  std::size_t threads() const;

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
  const ExecutorOptions options_;
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
