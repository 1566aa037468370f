#pragma once

#include <memory>

#include "tools/executors/command/sandbox.h"
#include "tools/executors/mcp_client/server_link.h"

namespace toolway::tools::executors::mcp_client {

/// A server that is a process: one thread starts it, speaks to it, and starts it again when it has
/// ended. `sandbox` null: it runs without one. Errors: kOverloaded (no descriptor is left).
Result<std::unique_ptr<ServerLink>> make_stdio_link(
    LinkOptions options, std::shared_ptr<const command::Sandbox> sandbox);

}  // namespace toolway::tools::executors::mcp_client
