#pragma once

#include "gateway/calls/call_counters.h"
#include "gateway/calls/log_edit.h"
#include "gateway/loop/async_bus.h"
#include "gateway/loop/async_store.h"
#include "gateway/wire/problem.h"

namespace toolway::gateway::calls {

/// What changing the log of a call needs.
struct CancelContext {
  loop::AsyncBus& bus;
  loop::AsyncStore& store;
  const Clock& clock;
  CallCounters& counters;
};

/// Carries `edit` to its end, kDone. Errors: what its planner refuses with; bus_unavailable when
/// the bus does not answer before its deadline: what it wrote may be in the log, and may be written
/// again; collector_behind when neither the streams nor the collectors can tell how far the call
/// got.
loop::Task<wire::HttpResult<LogEditStep>> edit_log(const CancelContext& context, LogEdit& edit);

}  // namespace toolway::gateway::calls
