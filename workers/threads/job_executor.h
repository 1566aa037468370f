#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>

#include "base/mutex.h"

namespace toolway::workers::threads {

/// Something to run where tools run, once.
class Job {
 public:
  virtual ~Job() = default;
  virtual void run() = 0;
  /// Whether it will probably end before another thread could have woken up.
  virtual bool quick() const = 0;
  /// Whether it runs code of this build alone: it waits for no other process.
  virtual bool native() const = 0;
};

/// Where tools run: `ThreadExecutor` on threads; the simulation, in virtual time.
/// A job whose tool does not come back can be abandoned: it no longer counts.
class JobExecutor {
 public:
  virtual ~JobExecutor() = default;

  virtual void submit(std::shared_ptr<Job> job) = 0;
  /// The thread that runs a job is given up: another may take its place.
  virtual void abandon() = 0;
  /// Called by an abandoned job just before its `run` returns.
  virtual void abandoned_returned() = 0;
  /// Runs nothing more. Waits for all that runs but what was abandoned, at most
  /// `patience`; what is left then touches nothing but this object.
  virtual void stop(std::chrono::milliseconds patience) = 0;

  /// For a job that runs: waits until `done`, or a stop. `lock` guards what `done` looks at, and
  /// `changed` is notified of changes.
  virtual void wait(MutexLock& lock, StoppableCondVar& changed, const std::stop_token& stop,
                    const std::function<bool()>& done) {
    changed.wait(lock, stop, done);
  }

  virtual std::size_t threads() const = 0;
  /// Jobs wait because the system has no thread for them: better not to take on more. Cheap, any
  /// thread.
  virtual bool starved() const { return false; }
};

}  // namespace toolway::workers::threads
