#pragma once

#include <sys/types.h>

#include <vector>

#include "tools/process/child.h"

namespace toolway::tools {

/// All processes below `root`, parents before their children, as /proc shows them now.
std::vector<pid_t> descendants(pid_t root);

/// Asks everything that runs inside a sandbox to end: SIGTERM to what is below
/// bubblewrap's two processes, which it would take the whole sandbox down with.
void terminate_sandboxed(pid_t bubblewrap);

/// Ends a sandbox and all that is in it, whatever it does, and waits for that: its
/// first process is killed, and the kernel kills a PID namespace with its first process.
void kill_sandbox(Child& bubblewrap);

/// The same for what runs without a sandbox: whoever has left the process tree
/// (double fork) is not found.
void terminate_tree(const Child& child);
void kill_tree(Child& child);

}  // namespace toolway::tools
