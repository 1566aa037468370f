#pragma once

#include <string>

#include "mcp/tool_call.h"
#include "tools/model/tool.h"

namespace toolway::tools::executors::mcp_client {

/// A call's result from a server's answer. Structured content is the result where there is some; a
/// result of texts alone is their text; any other is `{"content": [...]}` with the blocks as the
/// server sent them. Blocks that are not texts, with the texts between them, also go to `context`.
/// A failure becomes mcp_tool_error, with the text as its message.
model::Execution execution_of(const std::string& server, mcp::ToolCallResult result,
                              model::ToolContext& context);

}  // namespace toolway::tools::executors::mcp_client
