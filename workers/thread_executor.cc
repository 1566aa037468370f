#include "workers/thread_executor.h"

#include <thread>

namespace toolway::workers {

void ThreadExecutor::spawn() {
  ++threads_;
  // Detached, since an abandoned thread may never end; each owns this object.
  std::thread([self = shared_from_this()] { self->thread_main(); }).detach();
}

std::shared_ptr<ThreadExecutor::Sleeper> ThreadExecutor::wake() {
  if (sleepers_.empty()) return nullptr;
  waking_ = true;
  auto sleeper = std::move(sleepers_.back());
  sleepers_.pop_back();
  sleeper->woken = true;
  return sleeper;
}

void ThreadExecutor::submit(std::shared_ptr<Task> task) {
  const MonotonicTime now = clock_.monotonic();
  std::shared_ptr<Sleeper> sleeper;
  bool check = false;
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_) return;
    queue_.push_back({std::move(task), now});
    if (threads_ == abandoned_) {
      spawn();
    } else if (waking_ || !sleepers_.empty()) {
      if (!waking_) sleeper = wake();
    } else if (!check_due_ && may_spawn()) {
      check = check_due_ = true;
    }
  }
  if (sleeper) sleeper->called.notify_one();
  if (check) timer_.schedule(now + options_.spawn_after, shared_from_this());
}

void ThreadExecutor::on_time(MonotonicTime now) {
  MonotonicTime again = now + options_.spawn_after;
  std::shared_ptr<Sleeper> sleeper;
  {
    const std::scoped_lock lock(mutex_);
    check_due_ = false;
    if (stopping_ || queue_.empty()) return;
    if (now - queue_.front().since >= options_.spawn_after) {
      sleeper = wake();
      if (!sleeper && !waking_ && may_spawn()) spawn();
    } else {
      again = queue_.front().since + options_.spawn_after;
    }
    check_due_ = may_spawn() || waking_ || !sleepers_.empty();
    if (!check_due_ && !sleeper) return;
  }
  if (sleeper) sleeper->called.notify_one();
  timer_.schedule(again, shared_from_this());
}

void ThreadExecutor::thread_main() {
  const auto self = std::make_shared<Sleeper>();
  std::unique_lock lock(mutex_);
  for (;;) {
    while (queue_.empty() && !stopping_) {
      self->woken = false;
      sleepers_.push_back(self);
      if (self->called.wait_for(lock, options_.idle_timeout, [&] { return self->woken; })) {
        waking_ = false;
        continue;
      }
      std::erase(sleepers_, self);
      if (queue_.empty() && threads_ - abandoned_ > 1) break;
    }
    // Surplus: idle too long, an abandoned tool came back, or the end.
    if (stopping_ || queue_.empty() || threads_ - abandoned_ > options_.max_threads) break;
    std::shared_ptr<Task> task = std::move(queue_.front().task);
    queue_.pop_front();
    // A quick task brings this thread back before another could have woken up.
    std::shared_ptr<Sleeper> next;
    if (!queue_.empty() && !waking_ && !task->quick()) next = wake();
    // Nobody else is on the way to what waits behind it: somebody looks whether this one comes back in time.
    const bool check = !queue_.empty() && !waking_ && !check_due_ && (may_spawn() || !sleepers_.empty());
    check_due_ = check_due_ || check;
    lock.unlock();
    if (next) next->called.notify_one();
    if (check) timer_.schedule(clock_.monotonic() + options_.spawn_after, shared_from_this());
    task->run();
    task.reset();
    lock.lock();
  }
  --threads_;
  if (!queue_.empty()) {
    if (const auto next = wake()) next->called.notify_one();
  }
  ended_.notify_all();
}

void ThreadExecutor::abandon() {
  const std::scoped_lock lock(mutex_);
  ++abandoned_;
  if (!stopping_ && !queue_.empty() && !waking_ && sleepers_.empty() && may_spawn()) spawn();
  ended_.notify_all();
}

void ThreadExecutor::abandoned_returned() {
  const std::scoped_lock lock(mutex_);
  --abandoned_;
}

void ThreadExecutor::stop(std::chrono::milliseconds patience) {
  std::deque<Waiting> dropped;
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    dropped.swap(queue_);
    while (const auto sleeper = wake()) sleeper->called.notify_one();
    ended_.wait_for(lock, patience, [this] { return threads_ == abandoned_; });
  }
}

std::size_t ThreadExecutor::abandoned() const {
  const std::scoped_lock lock(mutex_);
  return abandoned_;
}

std::size_t ThreadExecutor::threads() const {
  const std::scoped_lock lock(mutex_);
  return threads_;
}

}  // namespace toolway::workers
