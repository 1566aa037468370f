#pragma once

#include "extensions/chain/policy_board.h"
#include "gateway/calls/cancel.h"
#include "gateway/endpoints/find_call.h"
#include "gateway/wire/routed_request.h"

namespace toolway::gateway::endpoints {

/// The call is found by `search`, or in the streams when the store does not answer at once.
loop::Task<wire::HttpResult<wire::Response>> post_cancel(
    const CallSearch& search, const calls::StreamSearch& streams,
    const calls::CancelContext& cancel, const extensions::chain::PolicyBoard& policies,
    const wire::RoutedRequest& routed);

/// Cancels a call of this caller, found in the same way; for a turn, of its session alone.
/// `acting`: null for the caller itself. Errors: as of find_to_change and calls::cancel_call.
loop::Task<wire::HttpResult<calls::Cancellation>> cancel_found(
    const CallSearch& search, const calls::StreamSearch& streams,
    const calls::CancelContext& cancel, const wire::Caller& caller, const wire::Acting* acting,
    std::string call_id, std::string reason);

}  // namespace toolway::gateway::endpoints
