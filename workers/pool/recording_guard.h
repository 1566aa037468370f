#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>

#include "bus/unrecorded.h"
#include "workers/pool/slots.h"

namespace toolway::workers::pool {

/// Pauses a worker while too much of a stream is not recorded by the collectors. Thread-safe.
class RecordingGuard {
 public:
  /// Called without a lock when it has paused the worker or let it go on; with what to ask for.
  using Changed = std::function<void(const Slots::Asks&)>;
  RecordingGuard(std::shared_ptr<call::WorkerContext> context, Slots& slots, Changed changed);

  /// Measures, unless it still does; decides on the bus's thread, inside the gate.
  void measure();

 private:
  void measured(std::size_t stream, const Result<bus::Unrecorded>& part);

  const std::shared_ptr<call::WorkerContext> context_;
  Slots& slots_;
  const Changed changed_;
  monitoring::Gauge& gauge_;
  std::array<bus::RecordingMeter, 3> meters_;                    ///< of CALLS, EVENTS, BLOBS
  std::array<double, 3> unrecorded_ GUARDED_BY(slots_.mutex){};  ///< likewise
  std::size_t measuring_ GUARDED_BY(slots_.mutex) = 0;
};

}  // namespace toolway::workers::pool
