#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "gateway/mcp/mcp_context.h"
#include "gateway/mcp/rpc_request.h"
#include "gateway/mcp/rpc_session.h"

namespace toolway::gateway::mcp {

/// The session of ours that a path names.
std::string session_id_of(const wire::RoutedRequest& routed);

/// The header that names its client's session, as it came; empty: there is none.
std::string session_header(const wire::RoutedRequest& routed);

/// Methods of HTTP other than POST are for sessions: a client of a revision without them is refused
/// (2026-07-28, basic/transports/streamable-http). Nothing: it may go on.
std::optional<wire::Problem> refuse_without_handshake(const wire::RoutedRequest& routed);

/// What a client of a handshake revision has agreed on, and said since.
struct AgreedSession {
  RpcSession session;
  std::string log_level{};  ///< empty: it has not said
};

/// That of a request, by its header: `sealed`; empty: it has none. `id`: the request's. A failure
/// says what the client has to do. Errors: the bus's.
loop::Task<wire::HttpResult<tl::expected<AgreedSession, RpcFailure>>> agreed_session(
    const McpContext& context, const wire::RoutedRequest& routed, std::string sealed,
    std::optional<toolway::mcp::RequestId> id);

}  // namespace toolway::gateway::mcp
