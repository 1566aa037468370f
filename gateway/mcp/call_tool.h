#pragma once

#include "gateway/mcp/agreed_session.h"
#include "gateway/mcp/mcp_context.h"
#include "gateway/mcp/rpc_request.h"

namespace toolway::gateway::mcp {

/// One `tools/call`: a call as any other. What it asks becomes a request to a client of a handshake
/// revision, and an InputRequiredResult for one of 2026-07-28, whose retry continues the same
/// call.
loop::Task<wire::HttpResult<wire::Response>> call_tool(const RequestScope& of, RpcRequest request);

/// `GET` with `Last-Event-ID`: what that stream of a `tools/call` would have shown since, its
/// answer included. `sealed`: the id of the client's session.
loop::Task<wire::HttpResult<wire::Response>> resume_call(const McpContext& context,
                                                         const McpPorts& ports,
                                                         const wire::RoutedRequest& routed,
                                                         AgreedSession agreed, std::string sealed);

}  // namespace toolway::gateway::mcp
