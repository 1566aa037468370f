#pragma once

#include "extensions/chain/policy_board.h"
#include "gateway/admission/bus_watch.h"
#include "gateway/admission/limit_refusals.h"
#include "gateway/admission/worker_roster.h"
#include "gateway/calls/streamed_calls.h"
#include "gateway/loop/async_store.h"
#include "gateway/mailbox/recorded.h"
#include "gateway/wire/routed_request.h"
#include "tools/model/live_registry.h"

namespace toolway::gateway::endpoints {

/// Where the facts of an explanation come from.
struct ExplainContext {
  loop::AsyncBus& bus;
  loop::AsyncStore& store;
  sessions::Sessions& sessions;
  const calls::StreamSearch& streams;
  const mailbox::RecordWatch& recorded;
  const admission::BusWatch& queues;
  admission::WorkerRoster& workers;
  const tools::model::LiveRegistry& registry;
  const extensions::chain::PolicyBoard& policies;
  const admission::LimitRefusals& refusals;
  wire::MemoryBudget& memory;
  const Clock& clock;
  double unrecorded_cap = 0;  ///< above it, new calls are refused
};

loop::Task<wire::HttpResult<wire::Response>> explain_call(const ExplainContext& context,
                                                          const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
