#include "workers/threads/timer.h"

#include "base/mutex.h"

namespace toolway::workers::threads {

void Timer::schedule(MonotonicTime at, std::weak_ptr<Timed> timed) {
  bool earlier = false;
  {
    const MutexLock lock(mutex_);
    if (ending_) return;
    entries_.push({at, std::move(timed)});
    earlier = at < sleeps_until_;
    // One wake-up is enough until the thread has looked again.
    if (earlier) sleeps_until_ = MonotonicTime::min();
  }
  if (earlier) changed_.notify_one();
}

std::vector<std::shared_ptr<Timed>> Timer::take_due(MonotonicTime now) {
  std::vector<std::shared_ptr<Timed>> due;
  while (!entries_.empty()) {
    auto timed = entries_.top().timed.lock();
    // What has ended is removed too: otherwise each of many short calls would wake us once.
    const bool over = !timed || timed->over();
    if (!over && entries_.top().at > now) break;
    entries_.pop();
    if (!over) due.push_back(std::move(timed));
  }
  return due;
}

void Timer::fire() {
  const MonotonicTime now = clock_.monotonic();
  std::vector<std::shared_ptr<Timed>> due;
  {
    const MutexLock lock(mutex_);
    due = take_due(now);
  }
  for (const auto& timed : due) timed->on_time(now);
}

MonotonicTime Timer::next_due() {
  const MutexLock lock(mutex_);
  while (!entries_.empty()) {
    const auto timed = entries_.top().timed.lock();
    if (timed && !timed->over()) return entries_.top().at;
    entries_.pop();
  }
  return MonotonicTime::max();
}

void Timer::start() {
  thread_ = std::thread([this] { run(); });
}

void Timer::stop() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  const MutexLock lock(mutex_);
  entries_ = {};
}

void Timer::run() {
  MutexLock lock(mutex_);
  while (!ending_) {
    const MonotonicTime now = clock_.monotonic();
    auto due = take_due(now);
    if (!due.empty()) {
      lock.unlock();
      for (const auto& timed : due) timed->on_time(now);
      due.clear();
      lock.lock();
      continue;
    }
    if (entries_.empty()) {
      sleeps_until_ = MonotonicTime::max();
      changed_.wait(lock);
    } else {
      const MonotonicTime until = entries_.top().at;
      sleeps_until_ = until;
      changed_.wait_until(lock, until);
    }
    sleeps_until_ = MonotonicTime::min();
  }
}

}  // namespace toolway::workers::threads
