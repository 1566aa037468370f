#include "persistence/postgres/wait_limit.h"

#include <sys/socket.h>

#include <algorithm>

#include "base/mutex.h"

namespace toolway::persistence::postgres {
namespace {

/// How late a cutoff that is set during a wait may be noticed.
constexpr std::chrono::milliseconds kCutoffCheckInterval{100};

}  // namespace

WaitLimit::WaitLimit() : thread_([this](const std::stop_token& stop) { run(stop); }) {}

MonotonicTime WaitLimit::due(const Entry& entry, MonotonicTime now) {
  if (!entry.cutoff) return entry.ends;
  const auto cut = entry.cutoff->at();
  return std::min(entry.ends, cut ? *cut : now + kCutoffCheckInterval);
}

void WaitLimit::run(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    const MonotonicTime now = std::chrono::steady_clock::now();
    next_look_ = MonotonicTime::max();
    for (auto& entry : entries_) {
      if (entry.ended) continue;
      const MonotonicTime at = due(entry, now);
      if (at <= now) {
        entry.ended = true;
        ::shutdown(entry.socket, SHUT_RDWR);
      } else {
        next_look_ = std::min(next_look_, at);
      }
    }
    const MonotonicTime planned = next_look_;  // the wait reads it without the lock
    const auto sooner = [this, planned]() REQUIRES(mutex_) { return next_look_ < planned; };
    if (planned == MonotonicTime::max()) {
      changed_.wait(lock, stop, sooner);
    } else {
      changed_.wait_until(lock, stop, planned, sooner);
    }
  }
}

WaitLimit::Wait::Wait(WaitLimit& limit, int socket, const PgPatience& patience) : limit_(limit) {
  const MonotonicTime now = std::chrono::steady_clock::now();
  Entry entry{.socket = socket,
              .ends = patience.deadline(now).value_or(MonotonicTime::max()),
              .cutoff = patience.cutoff};
  const MonotonicTime at = due(entry, now);
  if (at <= now) {  // past the cutoff nothing begins
    entry.ended = true;
    ::shutdown(socket, SHUT_RDWR);
  }
  bool wake = false;
  {
    const MutexLock lock(limit_.mutex_);
    entry_ = limit_.entries_.insert(limit_.entries_.end(), std::move(entry));
    wake = !entry_->ended && at < limit_.next_look_;
    if (wake) limit_.next_look_ = at;
  }
  if (wake) limit_.changed_.notify_one();
}

WaitLimit::Wait::~Wait() {
  const MutexLock lock(limit_.mutex_);
  limit_.entries_.erase(entry_);
}

bool WaitLimit::Wait::ended() const {
  const MutexLock lock(limit_.mutex_);
  return entry_->ended;
}

}  // namespace toolway::persistence::postgres
