#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace toolway::tools::executors::command {

/// The first arguments of every bubblewrap whose sandbox belongs to `directory`. They change
/// nothing inside (a variable that --clearenv removes), and say in /proc whose it is.
std::vector<std::string> sandbox_mark(const std::filesystem::path& directory);

/// Kills the sandboxes of `directory` that have lost their bubblewrap, of `user` alone, and returns
/// how many. bubblewrap is two processes: one in the worker's PID namespace, and its child, the
/// first of the sandbox's. A killed worker takes the first with it at once, but the child only
/// after it has set the sandbox up. In between the child stays: it waits for its parent's word
/// forever, or runs the command, and no process ends it. What is killed is always such a child
/// without such a parent, so any process may do this, even if others use the directory. A process
/// that cannot be looked at now (no descriptor left, say) stays. One that just ends may count among
/// them: its bubblewrap goes first.
std::size_t kill_orphaned_sandboxes(const std::filesystem::path& directory, uid_t user);

}  // namespace toolway::tools::executors::command
