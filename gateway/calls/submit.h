#pragma once

#include <chrono>
#include <string>

#include "base/clock.h"
#include "gateway/admission/bus_watch.h"
#include "gateway/admission/waiting_limits.h"
#include "gateway/calls/accepted_here.h"
#include "gateway/calls/call_counters.h"
#include "gateway/calls/call_plan.h"
#include "gateway/catalogue/spec_shelf.h"
#include "gateway/loop/async_bus.h"
#include "monitoring/tracer.h"

namespace toolway::gateway::calls {

/// What publishing a call needs.
struct SubmitContext {
  admission::BusWatch& queues;
  admission::WaitingLimits& waiting;
  catalogue::SpecShelf& specs;
  loop::AsyncBus& bus;
  AcceptedHere& accepted_here;
  CallCounters& counters;
  monitoring::Tracer& tracer;
  const Clock& clock;
  std::chrono::milliseconds accept_deadline{};  ///< for a PubAck
};

/// That no one can say whether a call was accepted, and why.
wire::Problem accept_unknown(const v1::CallRequest& call, std::string why);

/// Publishes a call and returns once the bus has stored it. Without an answer it publishes the
/// same id again until `accept_deadline`. Errors: accept_unknown with the call's id when it
/// was sent and never acknowledged; on any other error nothing was stored.
/// `counted`: by the limits on waiting calls.
loop::Task<wire::HttpResult<void>> submit(const SubmitContext& context, const PlannedCall& call,
                                          admission::WaitingPlacePtr counted = nullptr);

}  // namespace toolway::gateway::calls
