#pragma once

#include "gateway/mcp/mcp_context.h"
#include "gateway/mcp/rpc_request.h"

namespace toolway::gateway::mcp {

/// Answers a method about prompts, resources and completion (`is_offered`): what files offer, and
/// the results of the session's calls. Large answers are made on other threads. Errors: the bus's
/// and the store's, overloaded.
loop::Task<wire::HttpResult<wire::Response>> answer_offer(const RequestScope& of,
                                                          const RpcRequest& request);

}  // namespace toolway::gateway::mcp
