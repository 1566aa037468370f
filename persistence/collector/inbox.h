#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "bus/bus.h"
#include "persistence/collector/row_batch.h"

namespace toolway::persistence::collector {

/// A message that is held until it is recorded.
struct PulledMessage {
  bus::Delivery delivery;
  Source source = Source::kCalls;
  std::int64_t incarnation = 0;  ///< 0: not known when it came
};

/// How large a batch may be. One message may have more bytes by itself.
struct BatchLimit {
  std::size_t messages = 0;
  std::size_t bytes = 0;  ///< of payload
};

/// What was pulled but is not in a batch yet. The bus puts, the writer
/// takes. Bounded by what the collector allows the bus to deliver.
class Inbox {
 public:
  /// The clock must outlive it.
  Inbox(BatchLimit limit, std::chrono::milliseconds linger, const Clock& clock)
      : limit_(limit), linger_(linger), clock_(clock) {}

  void put(PulledMessage held);
  /// From now on `take` does not wait.
  void close();
  bool closed() const;

  /// Waits for a first message until `deadline`, then for a full batch, but until the linger has
  /// passed since that message came. Empty: nothing came, or closed and drained.
  std::vector<PulledMessage> take(MonotonicTime deadline);
  /// The batch that `take` would not wait for; else empty.
  std::vector<PulledMessage> take_ready();

  /// Waits, but not once it is closed; returns whether it is closed.
  bool pause(std::chrono::milliseconds time);

 private:
  std::vector<PulledMessage> next_batch() REQUIRES(mutex_);
  bool full() const REQUIRES(mutex_) {
    return held_.size() >= limit_.messages || bytes_ >= limit_.bytes;
  }

  const BatchLimit limit_;
  const std::chrono::milliseconds linger_;
  const Clock& clock_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::vector<PulledMessage> held_ GUARDED_BY(mutex_);
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;     ///< of payload, held
  MonotonicTime ready_at_ GUARDED_BY(mutex_){};  ///< when the first of them has lingered
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace toolway::persistence::collector
