#pragma once

#include "tools/executors/command/sandbox.h"
#include "tools/executors/command/sandbox_status.h"

namespace toolway::tools::executors::command {

/// Runs one sandbox of this machine and looks at it from inside. Takes about 20 ms.
SandboxStatus probe_sandbox(const Sandbox& sandbox);

}  // namespace toolway::tools::executors::command
