#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/file_descriptor.h"
#include "base/result.h"
#include "cli/bench/profile/cost.h"
#include "cli/bench/profile/process_watch.h"
#include "cli/bench/profile/stacks.h"
#include "local/child_process.h"

namespace toolway::cli::bench::profile {

/// Reads what `perf stat -x,` wrote: the number of the one event that it counted; nothing when it
/// could not count it. Pure.
std::optional<double> parse_count(std::string_view stat);

/// Why perf refused, from what it printed. Pure.
std::string refusal_of(std::string_view printed);

/// One `perf` that waits until it is told to measure. For one thread; it ends with this object.
class Perf {
 public:
  /// `argv`: from `perf` on, with the subcommand and without what controls it. `directory`: for its
  /// files, whose names begin with `name`. Returns when it is attached and waits. Errors:
  /// kNotFound, kPermissionDenied with what perf says.
  static Result<std::unique_ptr<Perf>> start(std::vector<std::string> argv,
                                             const std::filesystem::path& directory,
                                             const std::string& name);

  /// Whether it took the order within 5 s.
  bool enable() { return order("enable\n"); }
  bool disable() { return order("disable\n"); }
  /// Ends it, so that it writes its result; whether it ended within 60 s.
  bool finish();

 private:
  Perf() = default;
  bool order(std::string_view word);

  os::FileDescriptor orders_;
  os::FileDescriptor answers_;
  std::unique_ptr<local::ChildProcess> child_;
};

/// What perf saw, and in words what it could not see.
struct Seen {
  std::map<std::string, double> system_calls;  ///< by role
  std::map<std::string, Stacks> stacks;        ///< of Toolway's processes, by role
  std::vector<std::string> missing;
};

/// Counts the system calls of each role, and samples the stacks of Toolway's processes, 499 times a
/// second of their CPU.
class PerfWatch {
 public:
  /// Attaches to the processes and their children. What perf may not do here becomes `missing`.
  PerfWatch(const Pids& pids, std::filesystem::path directory);

  void begin();
  void end();
  /// Once, after `end`.
  Seen result();

 private:
  void add(const Role& role, const std::string& pids);
  void note(const std::string& what, const Error& error);

  const std::filesystem::path directory_;
  std::map<std::string, std::unique_ptr<Perf>> counting_;
  std::map<std::string, std::unique_ptr<Perf>> sampling_;
  Seen seen_;
};

}  // namespace toolway::cli::bench::profile
