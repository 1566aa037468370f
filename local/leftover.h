#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace toolway::local {

/// Ends a server that an earlier run left behind (its parent was killed and it
/// is still on its way out). `is_ours` must recognise it by more than its pid,
/// which the system may have given to another process. Waits `patience` for it to
/// end by itself, then sends `signal`, then SIGKILL. Returns whether it is gone.
bool end_leftover(int pid, const std::function<bool(int)>& is_ours,
                  std::chrono::milliseconds patience, int signal);

/// Processes whose working directory is `directory`: a Postgres server and all its
/// backends work in their data directory.
std::vector<int> processes_in(const std::string& directory);

/// The first line of a file as a pid; 0 when there is none.
int read_pid(const std::string& file);

/// The last lines of a log, for an error message.
std::string tail(const std::string& file, std::size_t bytes = 2000);

/// The same, but nothing before byte `from`, where an earlier run ended.
std::string tail_since(const std::string& file, std::size_t from);

/// How much a log has by now; 0: it does not exist.
std::size_t size_of(const std::string& file);

}  // namespace toolway::local
