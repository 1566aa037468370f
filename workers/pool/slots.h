#pragma once

#include <cstddef>
#include <vector>

#include "base/mutex.h"
#include "workers/call/worker_context.h"
#include "workers/pool/queue_shares.h"

namespace toolway::workers::pool {

/// The slots of a worker, and why it asks for no more calls. Its one lock: it guards the calls
/// that are held and the queues that they come from as well (call_worker.h, queue_pulls.h), so
/// that all of them see the same slots.
struct Slots {
  using Asks = std::vector<QueueShares::Ask>;

  explicit Slots(std::size_t count) : shares(count) {}

  /// What to ask the queues for now; counts as asked for. Empty when there is no memory for it. For
  /// `QueuePulls::ask`, without the lock.
  Asks next_asks(const call::WorkerContext& context) REQUIRES(mutex);

  mutable Mutex mutex;
  CondVar empty;  ///< no slot is taken any more
  QueueShares shares GUARDED_BY(mutex);
  bool draining GUARDED_BY(mutex) = false;
  bool paused GUARDED_BY(mutex) = false;  ///< too much of a stream is not recorded
};

}  // namespace toolway::workers::pool
