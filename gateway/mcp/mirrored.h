#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "gateway/wire/request_head.h"
#include "mcp/http_headers.h"

namespace toolway::gateway::mcp {

/// Which of the headers `Mcp-Param-…` says something else than the arguments of the call, and what;
/// nothing: they agree (2026-07-28, basic/transports/streamable-http, "Server Behavior for Custom
/// Headers"). Pure.
std::optional<std::string> wrong_mirror(
    const std::vector<toolway::mcp::MirroredParameter>& mirrored, const Json& arguments,
    const wire::RequestHead& head);

}  // namespace toolway::gateway::mcp
