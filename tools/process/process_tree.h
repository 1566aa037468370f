#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <vector>

#include "base/os/child.h"

namespace toolway::tools::process {

/// All processes below `root`, parents before their children, as /proc shows them now. Found
/// without a free descriptor as well. Thread-safe.
std::vector<pid_t> descendants(pid_t root);

/// SIGTERM to a process and to all that descends from it.
void terminate_tree(const os::Child& root);

/// Kills a process with all that descends from it, including what moved to a session of
/// its own, and waits at most `patience` for its end. What was started by a
/// process that ended before is found when the root is a subreaper.
/// Once only: afterwards its number may be another's. Nothing returned: it does not end (an
/// uninterruptible system call).
std::optional<os::ChildEnd> kill_tree(os::Child& root, std::chrono::milliseconds patience);

}  // namespace toolway::tools::process
