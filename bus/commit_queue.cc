#include "bus/commit_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace toolway::bus {
namespace {

/// Changes nothing when there is no memory.
std::vector<PendingPublication> take(std::deque<PendingPublication>& from, std::size_t count) {
  std::vector<PendingPublication> taken;
  taken.reserve(count);
  const auto end = from.begin() + static_cast<std::ptrdiff_t>(count);
  std::move(from.begin(), end, std::back_inserter(taken));
  from.erase(from.begin(), end);
  return taken;
}

}  // namespace

std::size_t CommitQueue::fitting() const {
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (const auto& pending : waiting_) {
    bytes += pending.publication.payload.size();
    if (count == limits_.most || bytes > limits_.bytes) break;
    ++count;
  }
  return count;
}

std::vector<PendingPublication> CommitQueue::next() {
  if (again_.empty()) {
    // One after the other, so that what comes after a batch is stored after it.
    if (waiting_.empty() || batch_ > 0) return {};
    if (allowed_) {
      if (const std::size_t count = fitting(); count >= limits_.least) {
        auto batch = take(waiting_, count);
        batch_ = count;
        return batch;
      }
      if (singles_ >= limits_.singles) return {};
    }
  }
  std::vector<PendingPublication> single;
  if (again_.empty()) {
    single = take(waiting_, 1);
  } else {
    single.reserve(1);
    single.push_back(std::move(again_.back()));
    again_.pop_back();
  }
  ++singles_;
  return single;
}

void CommitQueue::batch_refused(std::vector<PendingPublication> batch) {
  // The one before has gone: only then was this batch taken.
  batch_ = 0;
  again_ = std::move(batch);
  std::reverse(again_.begin(), again_.end());
}

std::vector<PendingPublication> CommitQueue::take_unsent() {
  auto unsent = std::exchange(again_, {});
  std::reverse(unsent.begin(), unsent.end());
  std::move(waiting_.begin(), waiting_.end(), std::back_inserter(unsent));
  waiting_.clear();
  return unsent;
}

}  // namespace toolway::bus
