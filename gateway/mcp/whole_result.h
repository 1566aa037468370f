#pragma once

#include <string>

#include "gateway/mcp/mcp_context.h"

namespace toolway::gateway::mcp {

/// The whole text of a large result, for an answer that needs it (`needs_whole`). Empty: it is too
/// large for an answer, or cannot be read now.
loop::Task<WholeResult> whole_result(ReadResult read, wire::Caller caller, std::string call_id,
                                     std::string session_key);

}  // namespace toolway::gateway::mcp
