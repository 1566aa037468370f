#include "gateway/loop/io_post.h"

namespace toolway::gateway::loop {

void IoPost::post(Work work) {
  // Under the lock: after `close` nothing may wait in the io_context that refers to the gateway.
  const MutexLock lock(mutex_);
  if (!closed_) asio::post(*io_, std::move(work));
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
