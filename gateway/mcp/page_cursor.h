#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/mcp/mcp_context.h"
#include "gateway/mcp/rpc_request.h"

/// Where the next page of a list of a session's calls begins, handed to its client and back.
namespace toolway::gateway::mcp {

/// `purpose`: which list it is. Good for a day.
std::string seal_cursor(const RequestScope& of, std::string_view purpose,
                        const std::string& before);

/// The call before which the page begins, by `params.cursor`; nothing in it: it is the first page.
/// Nothing: the cursor was not made here for this list and session, or has expired.
std::optional<std::optional<CallId>> open_cursor(const RequestScope& of, std::string_view purpose,
                                                 const RpcRequest& request);

}  // namespace toolway::gateway::mcp
