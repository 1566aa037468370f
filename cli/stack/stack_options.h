#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/durability.h"
#include "base/result.h"
#include "cli/process/edge_flags.h"
#include "cli/process/mock_flags.h"
#include "cli/process/pools.h"

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
  std::string log_format = "text";
  bool chat = false;        ///< whether a chat process runs
  std::string chat_script;  ///< file that answers in place of a model; empty: none
  unsigned chat_slots = 0;  ///< turns at once; 0: as `toolway chat` has it
  std::map<std::string, std::string> chat_environment;  ///< of it alone: its model, and that's key
  std::optional<unsigned> park_after_s;                 ///< of workers; as their options
  std::string webhook_secrets;  ///< file of the services that gateways and workers may ask
  /// Called with the URL of NATS once that is set up, before gateways and workers start.
  std::function<Result<void>(const std::string& nats_url)> before_fleet = [](const std::string&) {
    return Result<void>();
  };
  /// Told in words what happens to which child: it died, came back, is stopped.
  std::function<void(const std::string&)> report = [](const std::string&) {};
  /// Told what the start waits for.
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

}  // namespace toolway::cli::stack
