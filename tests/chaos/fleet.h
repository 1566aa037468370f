#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/stack/fleet_process.h"
#include "local/nats_server.h"
#include "local/postgres_cluster.h"
#include "tests/chaos/entrance.h"
#include "tests/chaos/full_disk.h"
#include "tests/chaos/history.h"
#include "tests/chaos/model_host.h"
#include "tests/chaos/options.h"
#include "tests/chaos/outages.h"
#include "tests/chaos/proxy.h"
#include "tests/chaos/skewed_clock.h"

namespace toolway::chaos {

/// A process of the stack, with its own ways to the servers.
struct Member {
  using Time = std::chrono::steady_clock::time_point;
  std::vector<std::unique_ptr<Proxy>> nats;  ///< to each of its servers
  std::unique_ptr<Proxy> postgres;
  std::unique_ptr<Proxy> gateway;      ///< of a chat process: to the one whose tools it calls
  std::unique_ptr<SkewedClock> clock;  ///< null: it has the machine's
  std::unique_ptr<cli::stack::FleetProcess> process;
  std::optional<Time> start_at;     ///< it is down on purpose until then
  std::optional<Time> resume_at;    ///< it is stopped (SIGSTOP) until then
  bool expected_to_end = false;     ///< we told it to
  std::optional<Time> must_end_by;  ///< told to drain: killed after that

  const std::string& name() const { return process->plan().name; }
  const std::string& role() const { return process->plan().role; }
  bool is_gateway() const { return role() == "gateway"; }
  bool is_chat() const { return role() == "chat"; }
  bool up() const { return !start_at && !resume_at && !expected_to_end; }
};

/// An end that none of us caused.
struct UnexpectedEnd {
  std::string name;
  int status = 0;
  std::string log;
};

/// How a verb of `toolway` ended.
struct VerbEnd {
  int status = -1;     ///< -1: it did not start, or not end within a minute
  std::string output;  ///< of both streams
};

/// The whole stack: servers, and separate processes of `toolway`. For one thread, except
/// `entrance`, `outages` and `verb`.
class Fleet {
 public:
  static Result<std::unique_ptr<Fleet>> start(const Options& options, const std::string& directory,
                                              History& history);
  virtual ~Fleet() = default;

  virtual std::vector<Member>& members() = 0;
  /// The gateways, which keep their URLs, and the users' keys. Thread-safe.
  virtual const Entrance& entrance() const = 0;
  /// When the gateways were cut off from NATS.
  virtual Outages& outages() = 0;
  virtual local::NatsServer& nats(unsigned node) = 0;
  virtual unsigned nats_nodes() const = 0;
  virtual local::PostgresCluster& postgres() = 0;
  /// Where the servers' data is; null: an ordinary disk, which is not filled.
  virtual FullDisk* disk() = 0;
  /// What is done to a server on purpose, while its supervisor leaves it alone.
  struct Harmed {
    bool nats = false;
    bool postgres = false;
  };
  virtual Harmed& harmed() = 0;
  /// nats-server is whole again: that JetStream did not answer is not a reason to restart it again.
  virtual void forgive_nats() = 0;
  /// How often a server that had stopped answering, or had ended by itself, was started again.
  virtual unsigned server_restarts() const = 0;
  /// Straight to the servers, for the harness itself.
  virtual std::string nats_url() const = 0;

  /// kill -9, back after `down`.
  virtual void kill(Member& member, std::chrono::milliseconds down) = 0;
  /// SIGTERM; back when it has ended (by itself within 40 s, or by force).
  virtual void terminate(Member& member) = 0;
  virtual void pause(Member& member, std::chrono::milliseconds duration) = 0;
  /// Starts and resumes processes that are due; notices those that ended by themselves.
  virtual void tend() = 0;
  /// Brings every process up at once. Errors: kTimeout with those that are not ready.
  virtual Result<void> settle(std::chrono::seconds patience) = 0;
  /// `toolway migrate`, as an operator runs it. Errors: kInternal with the end of its log.
  virtual Result<void> migrate() = 0;
  /// Another verb of an operator, to its end. Thread-safe.
  virtual VerbEnd verb(const std::string& name, const std::vector<std::string>& more) = 0;
  /// What the collectors seal the audit with.
  virtual std::string seal_keys() const = 0;
  virtual const std::vector<UnexpectedEnd>& unexpected_ends() const = 0;
  /// What chat processes ask; null: there are none.
  virtual const ModelHost* model() const = 0;
};

}  // namespace toolway::chaos
