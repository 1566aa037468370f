#pragma once

#include <string_view>

/// Where gateways keep the little that they must know of MCP clients (docs/protocol.md).
namespace toolway::proto {

inline constexpr std::string_view kMcpStream = "KV_mcp";
/// What counts of a client's session besides its id: that it was ended, and which logs it wants.
inline constexpr std::string_view kMcpBucket = "mcp";

inline constexpr std::string_view kMcpRequestsStream = "KV_mcp_requests";
/// Which call a request of such a session began, for as long as it may be cancelled.
inline constexpr std::string_view kMcpRequestsBucket = "mcp_requests";

}  // namespace toolway::proto
