#pragma once

#include "gateway/endpoints/find_call.h"
#include "gateway/loop/drain.h"
#include "gateway/mcp/mcp_context.h"
#include "gateway/wire/routed_request.h"

namespace toolway::gateway::endpoints {

/// Nothing waits for the rest of a result once `drain` has begun.
loop::Task<wire::HttpResult<wire::Response>> show_result(const CallSearch& search,
                                                         const loop::Drain& drain,
                                                         const wire::RoutedRequest& routed);

/// The whole text of a result of this caller's session. Errors: as of a request for it, and
/// payload_too_large: more than 4 MiB.
loop::Task<wire::HttpResult<mcp::WholeResult>> read_result(const CallSearch& search,
                                                           const loop::Drain& drain,
                                                           const wire::Caller& caller,
                                                           std::string call_id,
                                                           std::string session_key);

}  // namespace toolway::gateway::endpoints
