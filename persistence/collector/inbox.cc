#include "persistence/collector/inbox.h"

#include <algorithm>
#include <iterator>

#include "base/mutex.h"

namespace toolway::persistence::collector {

void Inbox::put(PulledMessage held) {
  bool wake = false;
  {
    MutexLock lock(mutex_);
    // A wake-up costs more than the message: only for the first, and when full.
    const bool was_full = full();
    if (held_.empty()) ready_at_ = clock_.monotonic() + linger_;
    bytes_ += held.delivery.payload.size();
    held_.push_back(std::move(held));
    wake = held_.size() == 1 || (!was_full && full());
  }
  if (wake) changed_.notify_all();
}

void Inbox::close() {
  {
    MutexLock lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

bool Inbox::closed() const {
  MutexLock lock(mutex_);
  return closed_;
}

std::vector<PulledMessage> Inbox::take(MonotonicTime deadline) {
  MutexLock lock(mutex_);
  changed_.wait_until(lock, deadline, [&]() REQUIRES(mutex_) { return closed_ || !held_.empty(); });
  if (held_.empty()) return {};
  changed_.wait_until(lock, ready_at_, [&]() REQUIRES(mutex_) { return closed_ || full(); });
  return next_batch();
}

std::vector<PulledMessage> Inbox::take_ready() {
  const MutexLock lock(mutex_);
  if (held_.empty()) return {};
  if (!closed_ && !full() && clock_.monotonic() < ready_at_) return {};
  return next_batch();
}

std::vector<PulledMessage> Inbox::next_batch() {
  std::vector<PulledMessage> batch;
  if (held_.size() <= limit_.messages && bytes_ <= limit_.bytes) {
    batch.swap(held_);
    bytes_ = 0;
    return batch;
  }
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (; count < std::min(held_.size(), limit_.messages); ++count) {
    const auto size = held_[count].delivery.payload.size();
    if (count > 0 && bytes + size > limit_.bytes) break;
    bytes += size;
  }
  const auto end = held_.begin() + static_cast<std::ptrdiff_t>(count);
  batch.assign(std::make_move_iterator(held_.begin()), std::make_move_iterator(end));
  held_.erase(held_.begin(), end);
  bytes_ -= bytes;
  return batch;
}

bool Inbox::pause(std::chrono::milliseconds time) {
  MutexLock lock(mutex_);
  changed_.wait_for(lock, time, [&]() REQUIRES(mutex_) { return closed_; });
  return closed_;
}

}  // namespace toolway::persistence::collector
