#pragma once

#include <functional>
#include <memory>
#include <queue>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"

namespace toolway::workers::threads {

/// Something to look at when its time has come.
class Timed {
 public:
  virtual ~Timed() = default;
  /// Runs without a lock of the timer; may schedule again.
  virtual void on_time(MonotonicTime now) = 0;
  /// It has ended: no need to wait for it. Cheap, any thread.
  virtual bool over() const = 0;
};

/// One thread for everything that waits for a time. It sleeps until the first
/// instant that still matters, and not at all when there is none. Thread-safe.
class Timer {
 public:
  explicit Timer(const Clock& clock) : clock_(clock) {}
  ~Timer() { stop(); }

  /// Does not keep `timed` alive.
  void schedule(MonotonicTime at, std::weak_ptr<Timed> timed);
  /// Runs what is due; for the thread, and for tests that own the time.
  void fire();
  /// The first instant that still matters; max: none.
  MonotonicTime next_due();
  /// Starts the thread that fires by itself.
  void start();
  /// Ends the thread and forgets what waits.
  void stop();

 private:
  struct Entry {
    MonotonicTime at;
    std::weak_ptr<Timed> timed;
    bool operator>(const Entry& other) const { return at > other.at; }
  };

  void run();
  using Due = std::vector<std::shared_ptr<Timed>>;
  /// Adds to `due_` what is. False: it had no memory for all.
  bool take_due(MonotonicTime now) REQUIRES(mutex_);
  /// Does what is due. What has no memory for it stays due.
  void do_due(MonotonicTime now);

  const Clock& clock_;
  Mutex mutex_;
  CondVar changed_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> entries_ GUARDED_BY(mutex_);
  MonotonicTime sleeps_until_ GUARDED_BY(mutex_) = MonotonicTime::min();
  bool ending_ GUARDED_BY(mutex_) = false;
  Due due_;  ///< of the thread that fires
  std::thread thread_;
};

}  // namespace toolway::workers::threads
