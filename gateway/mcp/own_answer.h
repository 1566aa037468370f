#pragma once

#include <optional>

#include "gateway/mcp/mcp_context.h"
#include "gateway/mcp/rpc_request.h"

namespace toolway::gateway::mcp {

/// The answer to a call of a tool that gateways answer themselves, which is not published: those
/// of namespace `tasks`. Nothing: it is a call like any other.
loop::Task<std::optional<wire::Response>> own_answer(const RequestScope& of,
                                                     const RpcRequest& request,
                                                     const calls::PlannedCall& call);

}  // namespace toolway::gateway::mcp
