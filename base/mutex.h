#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

// What a mutex guards is said in code, and clang checks it (`cmake/analyse.py`); gcc reads
// nothing of it. The names are those of clang's documentation, "Thread Safety Analysis".
#if defined(__clang__)
#define TOOLWAY_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define TOOLWAY_THREAD_ATTRIBUTE(x)
#endif

/// Of a member: read and written only while the mutex is held.
#define GUARDED_BY(mutex) TOOLWAY_THREAD_ATTRIBUTE(guarded_by(mutex))
/// Of a pointer: what it points to is.
#define PT_GUARDED_BY(mutex) TOOLWAY_THREAD_ATTRIBUTE(pt_guarded_by(mutex))
/// Of a function, and of a lambda after its parameters: called only while the mutex is held.
#define REQUIRES(...) TOOLWAY_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
/// Of a function that clang cannot follow; a comment there says why.
#define NO_THREAD_SAFETY_ANALYSIS TOOLWAY_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace toolway {

/// std::mutex with what clang needs to know.
class TOOLWAY_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  void lock() TOOLWAY_THREAD_ATTRIBUTE(acquire_capability()) { mutex_.lock(); }
  void unlock() TOOLWAY_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

/// Holds a mutex until its end; it may let go of it and take it again in between.
class TOOLWAY_THREAD_ATTRIBUTE(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) TOOLWAY_THREAD_ATTRIBUTE(acquire_capability(mutex))
      : lock_(mutex.mutex_) {}
  ~MutexLock() TOOLWAY_THREAD_ATTRIBUTE(release_capability()) {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void lock() TOOLWAY_THREAD_ATTRIBUTE(acquire_capability()) { lock_.lock(); }
  void unlock() TOOLWAY_THREAD_ATTRIBUTE(release_capability()) { lock_.unlock(); }

 private:
  template <typename Waits>
  friend class BasicCondVar;
  std::unique_lock<std::mutex> lock_;
};

/// std::condition_variable, or the one of them that knows stop tokens, for a MutexLock.
template <typename Waits>
class BasicCondVar {
 public:
  void notify_one() { waits_.notify_one(); }
  void notify_all() { waits_.notify_all(); }

  void wait(MutexLock& lock) { waits_.wait(lock.lock_); }
  /// Arguments and results are those of the standard's functions; a predicate is called with the
  /// mutex held.
  template <typename... Arguments>
  auto wait(MutexLock& lock, Arguments&&... arguments) {
    return waits_.wait(lock.lock_, std::forward<Arguments>(arguments)...);
  }
  template <typename... Arguments>
  auto wait_for(MutexLock& lock, Arguments&&... arguments) {
    return waits_.wait_for(lock.lock_, std::forward<Arguments>(arguments)...);
  }
  template <typename... Arguments>
  auto wait_until(MutexLock& lock, Arguments&&... arguments) {
    return waits_.wait_until(lock.lock_, std::forward<Arguments>(arguments)...);
  }

 private:
  Waits waits_;
};

using CondVar = BasicCondVar<std::condition_variable>;
using StoppableCondVar = BasicCondVar<std::condition_variable_any>;

}  // namespace toolway
