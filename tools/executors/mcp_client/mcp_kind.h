#pragma once

#include "tools/model/kind_types.h"

namespace toolway::tools::executors::mcp_client {

/// Tools of MCP servers. Settings: `servers`, a file of them; `profiles`, a file of sandbox
/// profiles. The servers of that file are started with the kind, and what they offer goes to
/// `offer`.
model::KindType mcp_kind_type();

}  // namespace toolway::tools::executors::mcp_client
