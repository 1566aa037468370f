#pragma once

#include <chrono>
#include <optional>

#include "tools/process/child.h"

namespace toolway::tools {

/// Kills a process with all that descends from it, also what went to a session of
/// its own, and waits at most `patience` for its end. What was started by a
/// process that ended before is found when the root is a subreaper.
/// Once only: afterwards its number may be another's. Nothing returned: it does not end (an uninterruptible system call).
std::optional<ChildEnd> kill_tree(Child& root, std::chrono::milliseconds patience);

}  // namespace toolway::tools
