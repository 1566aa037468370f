#pragma once

#include <atomic>

namespace toolway::workers::threads {

/// Counts who is inside, without a lock; `close` lets no one else in and waits
/// until all have left. What those inside use may be destroyed after that.
class Gate {
 public:
  bool enter() {
    if ((state_.fetch_add(kOne) & kClosed) == 0) return true;
    leave();
    return false;
  }
  void leave() {
    if (state_.fetch_sub(kOne) == (kOne | kClosed)) state_.notify_all();
  }
  void close() {
    state_.fetch_or(kClosed);
    for (unsigned state = state_.load(); state != kClosed; state = state_.load()) {
      state_.wait(state);
    }
  }

 private:
  static constexpr unsigned kClosed = 1;
  static constexpr unsigned kOne = 2;
  std::atomic<unsigned> state_{0};
};

/// Is inside the gate for a scope, if it was open.
class GateLock {
 public:
  explicit GateLock(Gate& gate) : gate_(gate), in_(gate.enter()) {}
  ~GateLock() {
    if (in_) gate_.leave();
  }
  GateLock(const GateLock&) = delete;
  GateLock& operator=(const GateLock&) = delete;
  explicit operator bool() const { return in_; }

 private:
  Gate& gate_;
  const bool in_;
};

}  // namespace toolway::workers::threads
