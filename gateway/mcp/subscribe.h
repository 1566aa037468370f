#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "gateway/mcp/mcp_context.h"
#include "gateway/mcp/rpc_request.h"
#include "gateway/mcp/subscriptions.h"

namespace toolway::gateway::mcp {

/// `resources/subscribe`, `resources/unsubscribe` of the revisions with a handshake (2026-07-28,
/// changelog: subscriptions/listen replaces them).
bool is_of_subscriptions(std::string_view method, bool stateless);

/// A subscription to a resource as it is now. What is wrong: what reading it would say, and a URI
/// that is too long. Of the result of a call that has not ended there is nothing to read, and
/// nothing wrong. Errors: the bus's and the store's.
loop::Task<wire::HttpResult<tl::expected<Subscription, toolway::mcp::RpcError>>> subscription_to(
    const RequestScope& of, std::string uri);

/// Answers such a method. Errors: likewise.
loop::Task<wire::HttpResult<wire::Response>> answer_subscribe(const RequestScope& of,
                                                              const RpcRequest& request);

}  // namespace toolway::gateway::mcp
