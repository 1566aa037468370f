#pragma once

#include <cstddef>

#include "base/mutex.h"
#include "workers/call/worker_context.h"

namespace toolway::workers::pool {

/// Counts the tools of a worker that were asked to stop and have not returned. When they are too
/// many, once, calls the worker's `on_unhealthy`, without a lock. Thread-safe.
class AbandonedTools {
 public:
  /// `context` must outlive it.
  explicit AbandonedTools(call::WorkerContext& context);

  /// One more (+1), or one that has returned after all (-1).
  void changed(int change);

 private:
  const WorkerOptions& options_;
  monitoring::Gauge& gauge_;
  Mutex mutex_;
  std::size_t count_ GUARDED_BY(mutex_) = 0;
  bool unhealthy_ GUARDED_BY(mutex_) = false;
};

}  // namespace toolway::workers::pool
