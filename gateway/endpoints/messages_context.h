#pragma once

#include "base/seal_keys.h"
#include "gateway/admission/bus_watch.h"
#include "gateway/admission/worker_roster.h"
#include "gateway/calls/run_calls.h"
#include "gateway/live/feed.h"
#include "gateway/sessions/sessions.h"
#include "gateway/wire/routed_request.h"

namespace toolway::gateway::endpoints {

/// What beginning turns, and reading conversations, needs.
struct MessagesContext {
  sessions::Sessions& sessions;
  const calls::PlanContext& plan;
  const calls::RunContext& run;
  const live::FeedSources& feeds;
  loop::AsyncStore& store;
  wire::MemoryBudget& memory;
  loop::WorkPool& work;
  admission::WorkerRoster& workers;
  const admission::BusWatch& queues;
  const SealKeys& seal_keys;
  const Clock& clock;
  std::size_t max_arguments_bytes = 0;
};

}  // namespace toolway::gateway::endpoints
