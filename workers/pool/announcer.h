#pragma once

#include <cstdint>

#include "workers/call/worker_context.h"
#include "workers/pool/slots.h"

namespace toolway::workers::pool {

/// Tells the fleet of a worker: where it runs, and how much it holds. Thread-safe.
class Announcer {
 public:
  /// Both must outlive it.
  Announcer(call::WorkerContext& context, const Slots& slots);

  /// Sends the worker's state as it is now; without the bus, nothing.
  void tell();

 private:
  call::WorkerContext& context_;
  const Slots& slots_;
  const std::int64_t started_at_us_;
};

}  // namespace toolway::workers::pool
