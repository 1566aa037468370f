#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/durability.h"
#include "base/json.h"
#include "base/result.h"
#include "cli/process/edge_flags.h"
#include "cli/process/mock_flags.h"
#include "cli/process/pools.h"
#include "cli/process/stop_signals.h"
#include "cli/stack/run_files.h"

namespace toolway::cli::stack {

struct StackOptions {
  std::string data = ".toolway";
  std::string http = "127.0.0.1:8080";
  std::string root = ".";
  std::vector<std::string> specs;            ///< files, directories, URLs
  std::vector<std::string> gateway_options;  ///< more of them, as `toolway gateway` takes them
  std::string env;  ///< of the gateways: whose overlays are in force; empty: none
  std::string specs_token_file;
  std::string nats_server;  ///< empty: nats-server from PATH
  Durability durability = Durability::kProcess;
  unsigned gateways = 1;       ///< 0, as of workers: for what sends its messages itself
  unsigned gateway_loops = 1;  ///< of each of them
  unsigned workers = 1;
  unsigned collectors = 1;  ///< at least 1
  std::vector<std::string> pools =
      process::default_pools();  ///< of each worker: `name` or `name=slots`
  std::string python = "python3";
  std::vector<std::string> python_path;
  std::string sandbox;
  std::vector<std::string> settings;  ///< of kinds of tools: `KIND.NAME=VALUE`
  std::string secrets_directory;      ///< holds a file for each secret of the tools
  std::map<std::string, std::string, std::less<>>
      secrets;               ///< of the tools, by name: for the workers alone
  std::string specs_token;   ///< for the gateways alone
  std::string otlp_headers;  ///< OTEL_EXPORTER_OTLP_HEADERS; a secret
  process::MockFlags mocks;
  /// A stack's clients are on this machine: they may say who they are.
  process::EdgeFlags edge{
      .trust_user_header = {"loopback"}, .allow_origins = {}, .allow_hosts = {}};
  std::string
      otlp;  ///< where the processes send spans and metrics; empty: as their environment says
  std::optional<double> trace_sample;  ///< likewise
  std::string log_level = "info";
  /// Called with the URL of NATS once that is set up, before gateways and workers start.
  std::function<Result<void>(const std::string& nats_url)> before_fleet = [](const std::string&) {
    return Result<void>();
  };
  /// Told in words what happens to which child: it died, came back, is stopped.
  std::function<void(const std::string&)> report = [](const std::string&) {};
  /// Told what the start waits for.
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

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
