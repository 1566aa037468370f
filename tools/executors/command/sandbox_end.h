#pragma once

#include <sys/types.h>

#include "base/os/child.h"

namespace toolway::tools::executors::command {

/// Asks everything that runs inside a sandbox to end: SIGTERM to what is below
/// bubblewrap's two processes, which it would take the whole sandbox down with.
void terminate_sandboxed(pid_t bubblewrap);

/// Ends a sandbox and all that is in it, whatever it does, and waits for that: its
/// first process is killed, and the kernel kills a PID namespace with its first process.
void kill_sandbox(os::Child& bubblewrap);

}  // namespace toolway::tools::executors::command
