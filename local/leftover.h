#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace toolway::local {

/// Ends a server that an earlier run left behind (its parent was killed and it
/// is still on its way out). `is_ours` must recognise it by more than its pid,
/// which the system may have given to somebody else. Waits `patience` for it to
/// end by itself, then sends `signal`, then SIGKILL. Returns whether it is gone.
bool end_leftover(int pid, const std::function<bool(int)>& is_ours,
                  std::chrono::milliseconds patience, int signal);

/// Processes whose working directory is `directory`. A Postgres server and all its
/// backends work in its data directory, and nobody else does.
std::vector<int> processes_in(const std::string& directory);

/// The first line of a file as a pid; 0 when there is none.
int read_pid(const std::string& file);

/// The last lines of a log, for an error message.
std::string tail(const std::string& file);

}  // namespace toolway::local
