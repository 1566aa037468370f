#pragma once

#include "gateway/admission/bus_watch.h"
#include "gateway/admission/worker_roster.h"
#include "gateway/calls/streamed_calls.h"
#include "gateway/loop/async_store.h"
#include "gateway/mailbox/recorded.h"
#include "gateway/wire/asked.h"

namespace toolway::gateway {

/// Where the facts of an explanation come from.
struct ExplainContext {
  AsyncBus& bus;
  AsyncStore& store;
  Sessions& sessions;
  const StreamSearch& streams;
  const RecordWatch& recorded;
  const BusWatch& queues;
  WorkerRoster& workers;
  const Clock& clock;
  double unrecorded_cap = 0;  ///< above it, new calls are refused
};

Task<Answer<Response>> explain_call(const ExplainContext& context, const Asked& asked);

}  // namespace toolway::gateway
