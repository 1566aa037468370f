#pragma once

#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

/// Servers and processes started on this machine, for `toolway dev` and for the tests.
namespace toolway::local {

struct ChildProcessOptions {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment{};  ///< added to ours
  std::string log_file{};  ///< gets stdout and stderr, appended; empty: ours
  std::string user{};      ///< run as this user; empty: as we are
  bool die_with_parent = true;
  int death_signal = SIGKILL;  ///< what it gets when we die, for any reason
};

/// A process of ours, in a process group of its own (a Ctrl-C on our terminal is
/// for us). The destructor ends it (SIGTERM, then SIGKILL after 5 s) and reaps
/// it; only ever by its own pid. Thread-safe.
class ChildProcess {
 public:
  /// Errors: kNotFound when the program cannot be run, kInternal.
  static Result<std::unique_ptr<ChildProcess>> start(ChildProcessOptions options);
  virtual ~ChildProcess() = default;
  virtual int pid() const = 0;
  /// Exit status (128 + signal when killed), or nothing while it runs.
  virtual std::optional<int> poll() = 0;
  virtual std::optional<int> wait(std::chrono::milliseconds timeout) = 0;
  virtual void signal(int number) = 0;
};

}  // namespace toolway::local
