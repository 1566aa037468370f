#pragma once

#include "extensions/chain/policy_board.h"
#include "gateway/calls/cancel.h"
#include "gateway/calls/streamed_calls.h"
#include "gateway/endpoints/find_call.h"
#include "gateway/endpoints/messages_context.h"

namespace toolway::gateway::endpoints {

/// Cancels the turn of a session that runs; if none does, the first of those that were accepted and
/// have not begun. Errors: not_found (there is none); collector_behind, bus_unavailable (one may
/// have been accepted).
loop::Task<wire::HttpResult<wire::Response>> stop_turn(
    const MessagesContext& context, const CallSearch& search, const calls::StreamSearch& streams,
    const calls::CancelContext& cancel, const extensions::chain::PolicyBoard& policies,
    const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
