#pragma once

#include <optional>
#include <string>

#include "gateway/calls/call_plan.h"
#include "gateway/mcp/mcp_context.h"
#include "gateway/mcp/rpc_request.h"

namespace toolway::gateway::mcp {

/// What its tool's schema says that headers have to repeat, and one does not (2026-07-28,
/// basic/transports/streamable-http, "Mcp-Param"). Nothing: all is well.
loop::Task<std::optional<std::string>> wrong_headers(const RequestScope& of,
                                                     const RpcRequest& request,
                                                     const calls::PlannedCall& planned);

}  // namespace toolway::gateway::mcp
