#include "tools/model/progress_queue.h"

#include <iterator>
#include <utility>

#include "base/mutex.h"

namespace toolway::tools::model {

ProgressQueue::ProgressQueue(std::stop_token cancelled, std::function<void()> wake,
                             std::size_t capacity)
    : cancelled_(std::move(cancelled)),
      wake_(std::move(wake)),
      capacity_(capacity == 0 ? 1 : capacity) {}

void ProgressQueue::report(ProgressReport report) {
  bool was_empty = false;
  {
    MutexLock lock(mutex_);
    room_.wait(lock, cancelled_,
               [this]() REQUIRES(mutex_) { return closed_ || reports_.size() < capacity_; });
    if (closed_ || reports_.size() >= capacity_) {
      return;
    }
    was_empty = reports_.empty();
    reports_.push_back(std::move(report));
  }
  if (was_empty && wake_) {
    wake_();
  }
}

std::optional<ProgressReport> ProgressQueue::try_pop() {
  std::optional<ProgressReport> oldest;
  {
    const MutexLock lock(mutex_);
    if (reports_.empty()) {
      return oldest;
    }
    oldest = std::move(reports_.front());
    reports_.pop_front();
  }
  room_.notify_one();
  return oldest;
}

std::vector<ProgressReport> ProgressQueue::take() {
  std::deque<ProgressReport> taken;
  {
    const MutexLock lock(mutex_);
    taken.swap(reports_);
  }
  room_.notify_all();
  return {std::make_move_iterator(taken.begin()), std::make_move_iterator(taken.end())};
}

void ProgressQueue::close() {
  {
    const MutexLock lock(mutex_);
    closed_ = true;
  }
  room_.notify_all();
}

std::size_t ProgressQueue::size() const {
  const MutexLock lock(mutex_);
  return reports_.size();
}

}  // namespace toolway::tools::model
