#pragma once

#include <cstddef>

#include "base/clock.h"
#include "monitoring/tracer.h"
#include "persistence/collector/row_batch.h"

namespace toolway::persistence::collector {

/// The batch that a completion was written with.
struct RecordedBatch {
  WallTime begun{};
  WallTime committed{};
  std::size_t messages = 0;
};

/// The span `process EVENTS` of a completion whose trace is sampled: it ends where the trace does,
/// at the COMMIT of its batch. Below the span that the completion was sent from.
monitoring::Span recorded_span(monitoring::Tracer& tracer, const CompletedCall& call,
                               const RecordedBatch& batch);

}  // namespace toolway::persistence::collector
