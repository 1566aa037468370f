#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/durability.h"
#include "cli/process/edge_flags.h"
#include "cli/process/mock_flags.h"
#include "cli/process/telemetry.h"
#include "gateway/admission/guard.h"
#include "gateway/sessions/user_sessions.h"

namespace toolway::cli::process {

struct ProcessOptions {
  std::string nats = "nats://127.0.0.1:4222";
  std::string postgres_url;  ///< from the environment or a file, never from the command line
  std::string http = "127.0.0.1:8080";  ///< of the gateway
  std::string metrics = "127.0.0.1:0";  ///< of worker and collector
  std::string gateway_metrics{};        ///< of a gateway, besides `http`; empty: there alone
  std::vector<std::string>
      pools;  ///< of a worker: `name` or `name=slots`; of migrate: those to make
  std::optional<unsigned>
      replicas;  ///< of the streams that migrate makes; nothing: as before, at first 1
  std::optional<unsigned> window_gib;   ///< of each of CALLS, EVENTS and BLOBS; likewise
  std::vector<std::string> partitions;  ///< of pools that migrate makes: `name=N`
  bool after_restore = false;           ///< of migrate: NATS or Postgres was put back from a backup
  std::string python = "python3";       ///< interpreter of python tools
  std::vector<std::string> python_path;  ///< directories their modules are imported from
  std::string sandbox;                   ///< file of sandbox profiles; empty: the default one
  std::vector<std::string>
      settings;     ///< of a worker's kinds: `KIND.NAME=VALUE`; of a gateway: `mcp.servers=FILE`
  MockFlags mocks;  ///< of a worker
  std::string workspaces;         ///< directory of the sessions' workspaces
  std::string secrets_directory;  ///< holds a file for each secret of a worker's tools
  std::map<std::string, std::string, std::less<>> secrets;  ///< or from the environment
  std::string root = ".";
  std::vector<std::string> specs;  ///< of a gateway: files, directories, URLs
  std::string env;                 ///< of a gateway: whose overlays are in force; empty: none
  std::string specs_token_file;    ///< holds the bearer token for those URLs
  std::string specs_token;         ///< or from the environment; a secret
  unsigned session_idle = 3600;    ///< of gateway and collector: seconds; 0: sessions never expire
  unsigned closed_session_keep =
      86'400;  ///< of a collector: seconds until a closed session leaves the bucket
  gateway::sessions::SessionCaps session_caps;  ///< of a gateway, for one user
  gateway::calls::KeyCaps key_caps;             ///< likewise
  gateway::admission::GuardCaps guard;          ///< of a gateway
  unsigned memory_budget_mib = 512;             ///< of a gateway
  unsigned loops = 1;                           ///< likewise: how many, each on a thread
  std::optional<Durability> durability;         ///< of gateway, migrate: what NATS keeps
  EdgeFlags edge;                               ///< likewise
  EdgeCaps edge_caps;
  unsigned keep_days = 0;        ///< collectors drop older calls; 0: never
  unsigned keep_audit_days = 0;  ///< of a collector: older records of the audit; 0: never
  /// File: of a collector, empty: the audit is not sealed; of a gateway, empty: keys of its own.
  std::string seal_keys{};
  std::string audit_continues_from{};  ///< of a collector: the last seal of a database put back
  /// Of a worker: how long a call that waits for an answer keeps its slot, in seconds.
  std::optional<unsigned> park_after_s;
  unsigned drain_s = 30;  ///< of a worker: how long running calls may take after SIGTERM
  TelemetryOptions telemetry;
  std::string webhook_secrets;  ///< of gateway, worker: file of the services that they may ask
  std::string ready_file;
  std::string log_level = "info";
  std::string log_format = "text";
};

}  // namespace toolway::cli::process
