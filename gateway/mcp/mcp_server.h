#pragma once

#include "gateway/mcp/mcp_context.h"

/// The Model Context Protocol, for any client: a session's tools over Streamable HTTP, in
/// revisions that begin with a handshake and in those in which each request says it all.
namespace toolway::gateway::mcp {

/// One message. The session is the one of the path, or the caller's own, `mcp`. `ports` may be
/// copied, and used as long as the answer's stream lasts.
loop::Task<wire::HttpResult<wire::Response>> post_mcp(const McpContext& context,
                                                      const McpPorts& ports,
                                                      const wire::RoutedRequest& routed);

/// `DELETE`: the client's session ends (2025-11-25, basic/transports, "Session Management"). What
/// it has begun continues.
loop::Task<wire::HttpResult<wire::Response>> delete_mcp(const McpContext& context,
                                                        const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::mcp
