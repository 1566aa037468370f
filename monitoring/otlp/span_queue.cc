#include "monitoring/otlp/span_queue.h"

#include <algorithm>
#include <iterator>

#include "base/mutex.h"

namespace toolway::monitoring::otlp {

SpanQueue::Pushed SpanQueue::push(Span span, Time now) {
  const MutexLock lock(mutex_);
  if (now - second_ >= std::chrono::seconds(1)) {
    second_ = now;
    in_second_ = 0;
  }
  if (closed_ || spans_.size() >= limits_.waiting || in_second_ >= limits_.per_second)
    return Pushed::kDropped;
  ++in_second_;
  if (spans_.empty()) oldest_ = now;
  spans_.push_back(std::move(span));
  // Between the two the sender keeps sleeping; it is woken twice per batch, not once per span.
  if (spans_.size() == 1 || spans_.size() == limits_.batch) wake_.notify_one();
  return Pushed::kKept;
}

std::vector<Span> SpanQueue::take(Time until) {
  MutexLock lock(mutex_);
  for (;;) {
    const Time due = spans_.empty() ? until : std::min(until, oldest_ + limits_.delay);
    const Time now = std::chrono::steady_clock::now();
    if (closed_ || spans_.size() >= limits_.batch || now >= due) break;
    wake_.wait_until(lock, due);
  }
  if (spans_.size() <= limits_.batch) return std::exchange(spans_, {});
  const auto middle = spans_.begin() + static_cast<std::ptrdiff_t>(limits_.batch);
  std::vector<Span> batch(std::make_move_iterator(spans_.begin()), std::make_move_iterator(middle));
  // What is left keeps the time of those before it: it is sent a little early, and never late.
  spans_.erase(spans_.begin(), middle);
  return batch;
}

void SpanQueue::close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  wake_.notify_all();
}

bool SpanQueue::closed() const {
  const MutexLock lock(mutex_);
  return closed_;
}

std::size_t SpanQueue::size() const {
  const MutexLock lock(mutex_);
  return spans_.size();
}

}  // namespace toolway::monitoring::otlp
