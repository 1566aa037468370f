#include "workers/thread_executor.h"

#include <thread>

namespace toolway::workers {

void ThreadExecutor::spawn() {
  ++threads_;
  // Detached, since an abandoned thread may never end; each owns this object.
  std::thread([self = shared_from_this()] { self->thread_main(); }).detach();
}

void ThreadExecutor::submit(std::shared_ptr<Task> task) {
  const MonotonicTime now = clock_.monotonic();
  bool wake = false;
  bool check = false;
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_) return;
    queue_.push_back({std::move(task), now});
    if (threads_ == abandoned_) {
      spawn();
    } else if (idle_ > 0) {
      wake = !waking_;
      waking_ = true;
    } else if (!check_due_ && may_spawn()) {
      check = check_due_ = true;
    }
  }
  if (wake) work_.notify_one();
  if (check) timer_.schedule(now + options_.spawn_after, shared_from_this());
}

void ThreadExecutor::on_time(MonotonicTime now) {
  MonotonicTime again = now + options_.spawn_after;
  {
    const std::scoped_lock lock(mutex_);
    check_due_ = false;
    if (stopping_ || queue_.empty()) return;
    if (now - queue_.front().since >= options_.spawn_after) {
      if (idle_ > 0) {
        waking_ = true;
        work_.notify_one();
      } else if (may_spawn()) {
        spawn();
      }
    } else {
      again = queue_.front().since + options_.spawn_after;
    }
    if (!may_spawn() && idle_ == 0) return;
    check_due_ = true;
  }
  timer_.schedule(again, shared_from_this());
}

void ThreadExecutor::thread_main() {
  std::unique_lock lock(mutex_);
  for (;;) {
    while (queue_.empty() && !stopping_) {
      ++idle_;
      const auto status = work_.wait_for(lock, options_.idle_timeout);
      --idle_;
      waking_ = false;
      if (status == std::cv_status::timeout && queue_.empty() && threads_ - abandoned_ > 1) {
        break;
      }
    }
    // Surplus: idle too long, an abandoned tool came back, or the end.
    if (stopping_ || queue_.empty() || threads_ - abandoned_ > options_.max_threads) break;
    std::shared_ptr<Task> task = std::move(queue_.front().task);
    queue_.pop_front();
    // A quick task brings this thread back before another could have woken up.
    if (!queue_.empty() && idle_ > 0 && !waking_ && !task->quick()) {
      waking_ = true;
      work_.notify_one();
    }
    lock.unlock();
    task->run();
    task.reset();
    lock.lock();
  }
  --threads_;
  if (!queue_.empty() && idle_ > 0) work_.notify_one();
  ended_.notify_all();
}

void ThreadExecutor::abandon() {
  const std::scoped_lock lock(mutex_);
  ++abandoned_;
  if (!stopping_ && !queue_.empty() && idle_ == 0 && may_spawn()) spawn();
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
    work_.notify_all();
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
