#pragma once

#include "gateway/mcp/mcp_context.h"
#include "mcp/revision.h"

namespace toolway::gateway::mcp {

/// The whole text of a large result, where the answer needs it (`needs_whole`). Empty: it does not,
/// or the result is too large for an answer, or cannot be read now.
loop::Task<WholeResult> whole_result(ReadResult read, wire::Caller caller, v1::CallEvent completion,
                                     v1::CallRequest ids, tools::model::RegisteredToolPtr tool,
                                     toolway::mcp::Revision revision);

}  // namespace toolway::gateway::mcp
