#pragma once

#include <string>

#include "mcp/tool_call.h"
#include "tools/model/tool.h"

namespace toolway::tools {

/// What a call's result is of what a server answered. Structured content is it where there is some; a result
/// of texts alone is their text; any other is `{"content": [...]}` with the blocks as the server sent
/// them. Blocks that are not texts, with the texts between them, also go to `context`. A failure becomes
/// mcp_tool_error, with the text as its message.
Execution execution_of(const std::string& server, mcp::ToolCallResult result, ToolContext& context);

}  // namespace toolway::tools
