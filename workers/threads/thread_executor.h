#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "base/back_off.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "workers/threads/job_executor.h"
#include "workers/threads/loop_leader.h"
#include "workers/threads/spawner.h"
#include "workers/threads/timer.h"

namespace toolway::workers::threads {

struct ThreadExecutorOptions {
  std::size_t max_threads = 128;
  std::chrono::milliseconds spawn_after{2};  ///< the queue's head waited this long, no thread idle
  std::chrono::milliseconds idle_timeout{5000};  ///< then a thread beyond the first ends
  /// After no thread was available: until the next try, doubled up to `longest_pause`.
  std::chrono::milliseconds first_pause{20};
  std::chrono::milliseconds longest_pause{1000};
  Spawner spawner = spawn_thread;
  std::shared_ptr<LoopLeader> leader{};  ///< runs quick jobs while it can; null: threads run all
};

/// The threads on which tools run: few at first, more while calls wait for one,
/// fewer again when they idle: the one that became idle last works first, so that under a
/// steady load the threads that a stall has created end again. When the system has no thread left,
/// jobs wait for the threads that exist, and it is tried again after a pause. A thread whose tool
/// does not come back can be abandoned: it no longer counts, and ends when the tool returns.
/// Thread-safe.
class ThreadExecutor final : public JobExecutor,
                             public JobHost,
                             public Timed,
                             public std::enable_shared_from_this<ThreadExecutor> {
 public:
  ThreadExecutor(const Clock& clock, Timer& timer, ThreadExecutorOptions options)
      : clock_(clock), timer_(timer), options_(options) {}

  void submit(std::shared_ptr<Job> job) override;
  void abandon() override;
  void abandoned_returned() override;
  void stop(std::chrono::milliseconds patience) override;

  std::size_t abandoned() const;
  std::size_t threads() const override;
  void run_here(Job& job) override;
  void run_elsewhere(std::shared_ptr<Job> job) override;
  bool starved() const override { return starved_.load(std::memory_order_relaxed); }

  /// Checks whether the head of the queue has waited too long.
  void on_time(MonotonicTime now) override;
  bool over() const override { return false; }

 private:
  struct Waiting {
    std::shared_ptr<Job> job;
    MonotonicTime since;
  };
  /// A thread without work. Shared, since it may wake up and end while another thread still
  /// notifies it.
  struct Sleeper {
    CondVar called;
    bool woken = false;  ///< under mutex_
  };

  /// Has a thread come for the job that was just queued. Returns whom to notify.
  std::shared_ptr<Sleeper> call_thread(MonotonicTime now) REQUIRES(mutex_);
  /// Has the timer look at the queue.
  void check_at(MonotonicTime at) REQUIRES(mutex_);
  /// False: the system had no thread, or has said so a moment ago.
  bool spawn(MonotonicTime now) REQUIRES(mutex_);
  void spawn_failed(MonotonicTime now) REQUIRES(mutex_);
  /// The one that slept last, to be notified; null when none sleeps.
  std::shared_ptr<Sleeper> wake() REQUIRES(mutex_);
  void thread_main(const std::shared_ptr<Sleeper>& self);
  bool may_spawn() const REQUIRES(mutex_) { return threads_ < options_.max_threads + abandoned_; }

  const Clock& clock_;
  Timer& timer_;
  const ThreadExecutorOptions options_;
  mutable Mutex mutex_;
  CondVar ended_;
  std::deque<Waiting> queue_ GUARDED_BY(mutex_);
  std::size_t threads_ GUARDED_BY(mutex_) = 0;  ///< with those of the leader that run our jobs
  std::vector<std::shared_ptr<Sleeper>> sleepers_
      GUARDED_BY(mutex_);  ///< the last to fall asleep is last
  std::size_t abandoned_ GUARDED_BY(mutex_) = 0;
  bool waking_ GUARDED_BY(mutex_) = false;     ///< a thread was woken and has not looked yet
  bool check_due_ GUARDED_BY(mutex_) = false;  ///< the timer will call on_time
  bool stopping_ GUARDED_BY(mutex_) = false;
  /// After a failure to make a thread.
  BackOff back_off_ GUARDED_BY(mutex_){options_.first_pause, options_.longest_pause};
  MonotonicTime not_before_ GUARDED_BY(mutex_) = MonotonicTime::min();
  std::atomic<bool> starved_{false};  ///< written under mutex_
};

}  // namespace toolway::workers::threads
