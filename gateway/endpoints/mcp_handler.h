#pragma once

#include "gateway/calls/cancel.h"
#include "gateway/endpoints/endpoints.h"

namespace toolway::gateway::endpoints {

/// `on` outlives it.
calls::CancelCall cancel_port(const Endpoints& on);

/// A request of MCP, with what MCP needs of the rest.
loop::Task<wire::HttpResult<wire::Response>> answer_mcp(const Endpoints& on, wire::Route route,
                                                        const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
