#include "gateway/loop/io_post.h"

namespace toolway::gateway::loop {

void IoPost::post(Work work) {
  // Under the lock, so that the io_context cannot be destroyed in between.
  const MutexLock lock(mutex_);
  if (!closed_) asio::post(io_, std::move(work));
}

bool IoPost::here() const {
  const MutexLock lock(mutex_);
  return !closed_ && io_.get_executor().running_in_this_thread();
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
}

}  // namespace toolway::gateway::loop
