#include "workers/threads/thread_executor.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <new>
#include <optional>

#include "base/contained.h"
#include "base/long_wait.h"
#include "base/mutex.h"

namespace toolway::workers::threads {
namespace {

/// A job throws only for lack of memory: its call ends by its limits, and the others continue.
void run(Job& job) {
  try {
    job.run();
  } catch (const std::exception& error) {
    spdlog::error("a call was cut short in this worker: {}", error.what());
  }
}

}  // namespace

bool ThreadExecutor::spawn(MonotonicTime now) {
  if (now < not_before_) return false;
  try {
    // All that it needs, so that it cannot fail once it is there.
    const auto sleeper = std::make_shared<Sleeper>();
    sleepers_.reserve(threads_ + 1);
    // Each thread owns this object.
    if (!options_.spawner([self = shared_from_this(), sleeper] { self->thread_main(sleeper); })) {
      spawn_failed(now);
      return false;
    }
  } catch (const std::bad_alloc&) {
    spawn_failed(now);
    return false;
  }
  ++threads_;
  back_off_.succeeded();
  if (starved_.exchange(false)) spdlog::info("the system has threads for calls again");
  return true;
}

void ThreadExecutor::spawn_failed(MonotonicTime now) {
  not_before_ = now + back_off_.failed();
  if (!starved_.exchange(true)) {
    spdlog::warn(
        "the system has no more threads for calls: {} calls wait for the {} existing threads; trying again within {} ms",
        queue_.size(), threads_ - abandoned_, options_.longest_pause.count());
  }
}

std::shared_ptr<ThreadExecutor::Sleeper> ThreadExecutor::wake() {
  if (sleepers_.empty()) return nullptr;
  waking_ = true;
  auto sleeper = std::move(sleepers_.back());
  sleepers_.pop_back();
  sleeper->woken = true;
  return sleeper;
}

void ThreadExecutor::check_at(MonotonicTime at) {
  timer_.schedule(at, weak_from_this());
  check_due_ = true;
}

std::shared_ptr<ThreadExecutor::Sleeper> ThreadExecutor::call_thread(MonotonicTime now) {
  if (threads_ == abandoned_) {
    if (!spawn(now) && !check_due_) check_at(now + options_.spawn_after);
    return nullptr;
  }
  if (waking_) return nullptr;
  if (!sleepers_.empty()) return wake();
  if (!check_due_ && may_spawn()) check_at(now + options_.spawn_after);
  return nullptr;
}

void ThreadExecutor::submit(std::shared_ptr<Job> job) {
  const bool brief = job->quick() && job->native();
  if (brief && options_.leader && options_.leader->take(job, shared_from_this())) return;
  run_elsewhere(std::move(job));
}

void ThreadExecutor::run_here(Job& job) {
  {
    const MutexLock lock(mutex_);
    if (stopping_) return;
    ++threads_;
  }
  run(job);
  const MutexLock lock(mutex_);
  --threads_;
  if (stopping_) ended_.notify_all();
}

void ThreadExecutor::run_elsewhere(std::shared_ptr<Job> job) {
  const MonotonicTime now = clock_.monotonic();
  std::shared_ptr<Sleeper> sleeper;
  {
    const MutexLock lock(mutex_);
    if (stopping_) return;
    queue_.push_back({std::move(job), now});
    try {
      sleeper = call_thread(now);
    } catch (const std::bad_alloc&) {  // for the timer
      queue_.pop_back();
      if (queue_.empty()) starved_ = false;
      throw;
    }
  }
  if (sleeper) sleeper->called.notify_one();
}

void ThreadExecutor::on_time(MonotonicTime now) {
  MonotonicTime again = now + options_.spawn_after;
  std::shared_ptr<Sleeper> sleeper;
  {
    const MutexLock lock(mutex_);
    check_due_ = false;
    if (stopping_ || queue_.empty()) return;
    if (now - queue_.front().since >= options_.spawn_after) {
      sleeper = wake();
      if (!sleeper && !waking_ && may_spawn() && !spawn(now)) again = std::max(again, not_before_);
    } else {
      again = queue_.front().since + options_.spawn_after;
    }
    check_due_ = may_spawn() || waking_ || !sleepers_.empty();
    if (!check_due_ && !sleeper) return;
  }
  if (sleeper) sleeper->called.notify_one();
  timer_.schedule(again, shared_from_this());
}

void ThreadExecutor::thread_main(const std::shared_ptr<Sleeper>& self) {
  MutexLock lock(mutex_);
  for (;;) {
    while (queue_.empty() && !stopping_) {
      self->woken = false;
      sleepers_.push_back(self);
      const auto woken = [&] { return self->woken; };
      std::optional<LongWait> lean;
      if (!self->called.wait_for(lock, LongWait::kBegins, woken)) {
        lock.unlock();
        lean.emplace();
        lock.lock();
      }
      if (self->called.wait_for(lock, options_.idle_timeout, woken)) {
        waking_ = false;
        continue;
      }
      std::erase(sleepers_, self);
      if (queue_.empty() && threads_ - abandoned_ > 1) break;
    }
    // Surplus: idle too long, an abandoned tool came back, or the end.
    if (stopping_ || queue_.empty() || threads_ - abandoned_ > options_.max_threads) break;
    std::shared_ptr<Job> job = std::move(queue_.front().job);
    queue_.pop_front();
    // No job waits, whether or not the system gave us a thread, and however long this one runs.
    if (queue_.empty() && starved_.exchange(false))
      spdlog::info("no call is waiting for a thread any longer");
    // A quick job brings this thread back before another could have woken up.
    std::shared_ptr<Sleeper> next;
    if (!queue_.empty() && !waking_ && !job->quick()) next = wake();
    // No other thread is on its way to what waits next: the timer checks whether this one comes
    // back in time.
    const bool check =
        !queue_.empty() && !waking_ && !check_due_ && (may_spawn() || !sleepers_.empty());
    if (check) {
      contained("a look at the calls that wait for a thread",
                [&]() REQUIRES(mutex_) { check_at(clock_.monotonic() + options_.spawn_after); });
    }
    lock.unlock();
    if (next) next->called.notify_one();
    run(*job);
    job.reset();
    lock.lock();
  }
  --threads_;
  if (!queue_.empty()) {
    if (const auto next = wake()) next->called.notify_one();
  }
  ended_.notify_all();
}

void ThreadExecutor::abandon() {
  const MonotonicTime now = clock_.monotonic();
  const MutexLock lock(mutex_);
  ++abandoned_;
  ended_.notify_all();
  if (!stopping_ && !queue_.empty() && !waking_ && sleepers_.empty() && may_spawn() &&
      !spawn(now) && !check_due_) {
    check_at(now + options_.spawn_after);
  }
}

void ThreadExecutor::abandoned_returned() {
  const MutexLock lock(mutex_);
  --abandoned_;
}

void ThreadExecutor::stop(std::chrono::milliseconds patience) {
  std::deque<Waiting> dropped;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    dropped.swap(queue_);
    while (const auto sleeper = wake()) sleeper->called.notify_one();
    ended_.wait_for(lock, patience, [this]() REQUIRES(mutex_) { return threads_ == abandoned_; });
  }
}

std::size_t ThreadExecutor::abandoned() const {
  const MutexLock lock(mutex_);
  return abandoned_;
}

std::size_t ThreadExecutor::threads() const {
  const MutexLock lock(mutex_);
  return threads_;
}

}  // namespace toolway::workers::threads
