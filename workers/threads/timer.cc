#include "workers/threads/timer.h"

#include "base/contained.h"
#include "base/mutex.h"

namespace toolway::workers::threads {
namespace {

/// When to try again what there was no memory for.
constexpr std::chrono::milliseconds kWithoutMemory{50};

}  // namespace

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

bool Timer::take_due(MonotonicTime now) {
  return contained("a look at what is due", [&]() REQUIRES(mutex_) {
    while (!entries_.empty()) {
      auto timed = entries_.top().timed.lock();
      // What has ended is removed too: otherwise each of many short calls would wake us once.
      const bool over = !timed || timed->over();
      if (!over && entries_.top().at > now) break;
      if (!over) due_.push_back(std::move(timed));
      entries_.pop();
    }
  });
}

void Timer::do_due(MonotonicTime now) {
  std::erase_if(due_, [now](const auto& timed) {
    return timed->over() || contained("what was due", [&] { timed->on_time(now); });
  });
}

void Timer::fire() {
  const MonotonicTime now = clock_.monotonic();
  {
    const MutexLock lock(mutex_);
    take_due(now);
  }
  do_due(now);
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
  due_.clear();
  const MutexLock lock(mutex_);
  entries_ = {};
}

void Timer::run() {
  MutexLock lock(mutex_);
  while (!ending_) {
    const MonotonicTime now = clock_.monotonic();
    const bool all = take_due(now);
    if (!due_.empty()) {
      lock.unlock();
      do_due(now);
      lock.lock();
      if (due_.empty()) continue;
    }
    if (ending_) break;
    if (!all || !due_.empty()) {
      changed_.wait_for(lock, kWithoutMemory);
    } else if (entries_.empty()) {
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
