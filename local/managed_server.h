#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "local/child_process.h"

namespace toolway::local {

/// The process of a server of ours over its restarts: what nats-server and Postgres have in common.
/// Thread-safe: a server may be stopped while it is being restarted.
class ManagedServer {
 public:
  /// A signal, and how long the server may take to end by it.
  struct Step {
    int signal;
    std::chrono::milliseconds patience;
  };

  /// `name`: of the server, for messages. `log`: the file with its output.
  ManagedServer(std::string name, std::string log) : name_(std::move(name)), log_(std::move(log)) {}

  /// Of the process that was started last; 0: there was none.
  int pid() const;
  bool alive() const;
  /// Takes one step after another until the server has ended, SIGKILL being the last.
  void stop(const std::vector<Step>& steps) const;

  /// Starts the server and waits until `ready()`; asks for that after `pause`, again and again.
  /// Errors: kTimeout with the end of the log when it ends, or when it is not ready by the time
  /// that `give_up(now)` says so; those of starting a child.
  Result<void> run(ChildProcessOptions options, std::chrono::milliseconds pause,
                   const std::function<bool()>& ready,
                   const std::function<bool(std::chrono::steady_clock::time_point)>& give_up);

  /// Calls `run` with `port`; if that is 0, with free ports, which it sets, one after another while
  /// another program takes them first: then the log ends with `taken`. Errors: those of `run`.
  Result<void> run_on_port(std::uint16_t& port, std::string_view taken,
                           const std::function<Result<void>()>& run) const;

  const std::string& log() const { return log_; }

 private:
  std::shared_ptr<ChildProcess> child() const;

  const std::string name_;
  const std::string log_;
  mutable Mutex mutex_;
  std::shared_ptr<ChildProcess> child_ GUARDED_BY(mutex_);
};

}  // namespace toolway::local
