#pragma once

#include <stop_token>
#include <vector>

#include "base/result.h"
#include "cli/mcp_serve/reached.h"
#include "mcp/revision.h"
#include "mcp/tool_list.h"

namespace toolway::cli::mcp_serve {

/// Asks the gateway for all its tools, page by page, in a revision in which each request says it
/// all. Blocks, half a minute at most for each page. Errors: kBusUnavailable, kTimeout: there is
/// no list now; kInvalidRequest: it is not usable.
Result<std::vector<mcp::ToolDefinition>> list_tools(const Reached& reached, mcp::Revision revision,
                                                    const std::stop_token& stop);

}  // namespace toolway::cli::mcp_serve
