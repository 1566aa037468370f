#pragma once

#include <memory>

#include "workers/worker.h"

namespace toolway::workers::pool {

/// A worker that pulls calls until it is drained or destroyed; `bus`, `metrics` and `clock` must
/// outlive it. Errors: those of the bus.
Result<std::unique_ptr<Worker>> start_worker(bus::Bus& bus, monitoring::Metrics& metrics,
                                             WorkerTools tools, const Clock& clock,
                                             WorkerOptions options);

}  // namespace toolway::workers::pool
