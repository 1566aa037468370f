#pragma once

#include <optional>
#include <string>

#include "gateway/admission/bus_watch.h"
#include "gateway/calls/answer_plan.h"
#include "gateway/calls/edit_log.h"
#include "gateway/endpoints/find_call.h"
#include "gateway/wire/routed_request.h"

namespace toolway::gateway::endpoints {

/// What answering calls needs.
struct AnswersContext {
  const CallSearch& search;
  const calls::StreamSearch& streams;
  const calls::CancelContext& log;
  admission::BusWatch& queues;
};

/// Answers questions of a call of this caller, and publishes a parked one again. The last event of
/// its log as it is then. Errors: as of `answering`; unknown_call.
loop::Task<wire::HttpResult<std::optional<v1::CallEvent>>> answer_call(
    const AnswersContext& context, const wire::Caller& caller, std::string call_id,
    calls::ToAnswer given);

loop::Task<wire::HttpResult<wire::Response>> post_input(const AnswersContext& context,
                                                        const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
