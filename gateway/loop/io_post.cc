#include "gateway/loop/io_post.h"

#include "base/mutex.h"

namespace toolway::gateway::loop {

void IoPost::post(Work work) {
  const MutexLock lock(mutex_);
  if (!closed_) put(std::move(work));
}

bool IoPost::offer(Work work, std::size_t bytes) {
  const MutexLock lock(mutex_);
  if (closed_) return true;
  if (offered_ >= kMaxOffered || offered_bytes_ + bytes > kMaxOfferedBytes) return false;
  ++offered_;
  offered_bytes_ += bytes;
  put(std::move(work));
  return true;
}

void IoPost::put(Work work) {
  posted_.push_back(std::move(work));
  if (scheduled_) return;
  scheduled_ = true;
  // Under the lock, so that the io_context cannot be destroyed in between.
  asio::post(io_, [self = shared_from_this()] { self->drain(); });
}

void IoPost::drain() {
  constexpr std::size_t kClockCheckInterval = 32;
  constexpr std::chrono::milliseconds kMaxTurn{4};
  if (batch_run_ == batch_.size()) {
    batch_.clear();
    batch_run_ = 0;
    const MutexLock lock(mutex_);
    batch_.swap(posted_);
    offered_ = offered_bytes_ = 0;
  }
  const auto end = std::chrono::steady_clock::now() + kMaxTurn;
  while (batch_run_ < batch_.size()) {
    const Work work = std::move(batch_[batch_run_++]);
    work();
    if (batch_run_ % kClockCheckInterval == 0 && std::chrono::steady_clock::now() >= end) break;
  }
  const MutexLock lock(mutex_);
  scheduled_ = batch_run_ < batch_.size() || !posted_.empty();
  if (scheduled_) asio::post(io_, [self = shared_from_this()] { self->drain(); });
}

bool IoPost::expect(Waiter& waiter) {
  if (abandoned_) return false;
  waiters_.push_back(waiter);
  return true;
}

void IoPost::abandon() {
  abandoned_ = true;
  while (!waiters_.empty()) waiters_.front().cancel();
}

void IoPost::close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  posted_.clear();
}

}  // namespace toolway::gateway::loop
