#pragma once

#include <chrono>
#include <vector>

#include "base/mutex.h"
#include "monitoring/tracer.h"

namespace toolway::monitoring::otlp {

/// Spans on their way from the threads that end them to the one that sends them. Bounded in number
/// and in rate: a client that floods us with sampled requests gets fewer spans, and slows no one
/// down. Thread-safe.
class SpanQueue {
 public:
  using Time = std::chrono::steady_clock::time_point;
  struct Limits {
    std::size_t waiting;
    std::size_t batch;
    std::size_t per_second;
    std::chrono::milliseconds delay;
  };
  enum class Pushed { kKept, kDropped };

  explicit SpanQueue(Limits limits) : limits_(limits) {}

  /// Takes a mutex for as long as a span takes to move.
  Pushed push(Span span, Time now);
  /// Waits for a full batch, for `delay` after the oldest span, for `until` or for `close`; gives
  /// at most a batch, oldest first.
  std::vector<Span> take(Time until);
  /// From now on `take` does not wait.
  void close();
  bool closed() const;
  /// How many are waiting.
  std::size_t size() const;

 private:
  const Limits limits_;
  mutable Mutex mutex_;
  CondVar wake_;
  std::vector<Span> spans_ GUARDED_BY(mutex_);
  Time oldest_{};  // when the first of them came
  Time second_{};  // when the second being counted began
  std::size_t in_second_ = 0;
  bool closed_ = false;
};

}  // namespace toolway::monitoring::otlp
