#pragma once

#include <memory>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "cli/process/stop_signals.h"
#include "cli/stack/run_files.h"
#include "cli/stack/stack_options.h"

namespace toolway::cli::stack {

/// All of Toolway on this machine: nats-server, Postgres, and the processes of a
/// fleet as children of this one. They end with it, however it ends itself. For one thread.
class Stack {
 public:
  /// Returns when everything answers. Errors: kInvalidRequest (port taken, data
  /// in use …), kNotFound (a server is not installed), kShuttingDown (a signal
  /// came), kTimeout with the end of a log.
  static Result<std::unique_ptr<Stack>> start(StackOptions options, process::StopSignals& signals);
  virtual ~Stack() = default;

  /// Looks after the children once: starts those that died again. Returns whether the description
  /// changed.
  virtual bool supervise() = 0;
  /// Whether every process and server is there and answers.
  virtual bool whole() const = 0;
  /// Ends one process gently, or a server (`nats`, `postgres`); `supervise` starts it again.
  /// `index`: among its role's.
  virtual void restart(const std::string& role, unsigned index) = 0;
  /// Starts more workers, or ends the last ones gently: they finish what they hold. Errors: a
  /// worker cannot be started.
  virtual Result<void> scale_workers(unsigned count) = 0;
  /// What `--ready-file` gets. Holds the passwords of database and nats-server.
  virtual OrderedJson description() const = 0;
  virtual std::string url() const = 0;
  virtual std::string postgres_url() const = 0;
  virtual std::string nats_url() const = 0;
  /// Directory of a kind of data, for people: nats, postgres, logs.
  virtual std::string where(const std::string& what) const = 0;
  /// Drains gateway, worker, collector, Postgres and NATS, in this order. A
  /// signal during this kills what is left. Returns whether all ended by themselves.
  virtual bool stop(process::StopSignals& signals) = 0;
  /// Kills every child at once; thread-safe, for the way out.
  virtual void kill_all() = 0;
};

}  // namespace toolway::cli::stack
