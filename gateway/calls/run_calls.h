#pragma once

#include <vector>

#include "base/clock.h"
#include "bus/switch_board.h"
#include "extensions/chain/policy_board.h"
#include "gateway/admission/rate_limits.h"
#include "gateway/admission/waiting_limits.h"
#include "gateway/calls/ask_services.h"
#include "gateway/calls/call_entry.h"
#include "gateway/calls/call_keys.h"
#include "gateway/calls/call_request.h"
#include "gateway/calls/submit.h"
#include "gateway/loop/work_pool.h"
#include "gateway/sessions/session.h"
#include "gateway/wire/routed_request.h"
#include "tools/model/live_registry.h"

namespace toolway::gateway::calls {

/// What planning a call needs.
struct PlanContext {
  const tools::model::LiveRegistry& registry;
  const bus::SwitchBoard& switches;
  const extensions::chain::PolicyBoard& policies;
  extensions::chain::ChainMetrics& chain_metrics;
  loop::WorkPool& threads;  ///< for large bodies
  loop::WorkPool& checks;   ///< for arguments that take long to check: nothing else waits for them
  monitoring::Tracer& tracer;
  const Clock& clock;
};

/// Decides about one call of a request, for its session and its caller.
loop::Task<wire::HttpResult<PlannedCall>> plan_request(const PlanContext& plan,
                                                       const wire::RoutedRequest& routed,
                                                       const sessions::Session& session,
                                                       CallBody body);

/// The same of a tool of the gateways' own, which is in no session.
loop::Task<wire::HttpResult<PlannedCall>> plan_known_tool(const PlanContext& plan,
                                                          const wire::RoutedRequest& routed,
                                                          const sessions::Session& session,
                                                          tools::model::RegisteredToolPtr tool,
                                                          CallBody body);

/// What a planned call needs until it is accepted.
struct RunContext {
  const KeyContext& keys;
  const WaitContext& waits;
  const ServicesContext& services;
  const extensions::chain::PolicyBoard& policies;
  admission::WaitingLimits& waiting;
  admission::RateLimits& limits;
  const SubmitContext& submit;
};

/// Asks services about a planned call where rules say so, and publishes it, under its key when it
/// has one; follows it first when it waits. Cancels `wake` when it completes.
loop::Task<void> run_call(const RunContext& context, CallEntry& entry, loop::Timer& wake,
                          WaitRoom& room);

/// The same for all that are planned, at once; returns when every one is accepted or refused.
loop::Task<void> run_calls(const RunContext& context, std::vector<CallEntry>& entries,
                           loop::Timer& wake, WaitRoom& room);

/// Why a whole batch should be sent again, with the same Idempotency-Key; nothing when its entries
/// say enough. It is the problem of an entry that may or may not run, or else of one that the
/// platform could not take (503); or, when nothing at all was accepted, of one over its share
/// (429).
const wire::Problem* batch_problem(const std::vector<CallEntry>& entries);

}  // namespace toolway::gateway::calls
