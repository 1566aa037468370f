#pragma once

#include "gateway/mcp/mcp_context.h"
#include "gateway/mcp/rpc_request.h"
#include "gateway/sessions/session.h"

namespace toolway::gateway::mcp {

/// Where `tools/call` is answered. All of it must outlive the answering, and `context` the stream.
struct ToolCalling {
  const McpContext& context;
  const McpPorts& ports;
  const wire::RoutedRequest& routed;
  const sessions::Session& session;
};

/// One `tools/call`: a call as any other. What it asks becomes a request to a client of a handshake
/// revision, and an InputRequiredResult for one of 2026-07-28, whose retry continues the same
/// call.
loop::Task<wire::HttpResult<wire::Response>> call_tool(const ToolCalling& of, RpcRequest request);

}  // namespace toolway::gateway::mcp
