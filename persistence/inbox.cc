#include "persistence/inbox.h"

#include <algorithm>
#include <iterator>

namespace toolway::persistence {

void Inbox::put(Held held) {
  bool wake = false;
  {
    std::lock_guard lock(mutex_);
    held_.push_back(std::move(held));
    // A wake-up costs more than the message: only for the first, and when full.
    wake = held_.size() == 1 || held_.size() == batch_size_;
  }
  if (wake) changed_.notify_all();
}

void Inbox::close() {
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

bool Inbox::closed() const {
  std::lock_guard lock(mutex_);
  return closed_;
}

std::vector<Held> Inbox::take(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline, [&] { return closed_ || !held_.empty(); });
  if (held_.empty()) return {};
  changed_.wait_for(lock, linger_, [&] { return closed_ || held_.size() >= batch_size_; });
  std::vector<Held> batch;
  if (held_.size() <= batch_size_) {
    batch.swap(held_);
    return batch;
  }
  const auto end = held_.begin() + static_cast<std::ptrdiff_t>(batch_size_);
  batch.assign(std::make_move_iterator(held_.begin()), std::make_move_iterator(end));
  held_.erase(held_.begin(), end);
  return batch;
}

bool Inbox::pause(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, time, [&] { return closed_; });
  return closed_;
}

}  // namespace toolway::persistence
