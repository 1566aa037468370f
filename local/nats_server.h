#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/durability.h"
#include "base/result.h"
#include "local/child_process.h"

namespace toolway::local {

/// A server's place in a cluster on loopback. Its servers must be started at the same time:
/// JetStream answers once a majority is up.
struct NatsClusterPlace {
  std::string node;                   ///< the server's name
  std::uint16_t port = 0;             ///< for the other servers
  std::vector<std::uint16_t> routes;  ///< the ports for other servers, of all of them
};

/// Who may use a server: all on this machine, or only those with the password in its URL (kept in
/// its directory).
enum class NatsAccess { kOpen, kPassword };

struct NatsServerOptions {
  std::string program{};   ///< empty: nats-server from PATH (main hands in TOOLWAY_NATS_SERVER)
  std::string directory;   ///< store, configuration and log; made when missing
  std::uint16_t port = 0;  ///< 0: a free one, kept over restarts of this object
  std::string log_file{};  ///< empty: nats.log in the directory
  /// Servers before 2.10 cannot keep kPower.
  Durability durability = Durability::kProcess;
  std::optional<NatsClusterPlace> cluster{};
  NatsAccess access = NatsAccess::kOpen;
};

/// A nats-server with JetStream on loopback, in a directory of its own. May be
/// stopped by another thread than the one that restarts it.
class NatsServer {
 public:
  /// Starts it and waits until JetStream answers. Errors: kNotFound, kInvalidRequest (it cannot
  /// keep the wanted durability), kTimeout with the end of its log.
  static Result<std::unique_ptr<NatsServer>> start(NatsServerOptions options);
  virtual ~NatsServer() = default;
  /// With user and password, when it has one.
  virtual std::string url() const = 0;
  virtual int pid() const = 0;
  /// Whether the process still runs.
  virtual bool alive() = 0;
  /// Whether it reports on every one of `streams` within `timeout`: a server may be alive while its
  /// JetStream hangs.
  virtual bool answers(const std::vector<std::string>& streams,
                       std::chrono::milliseconds timeout) const = 0;
  /// Ends it with `signal` (SIGTERM, SIGKILL) and waits for its end; the store stays.
  virtual void stop(int signal) = 0;
  /// Starts it again on the same port and store.
  virtual Result<void> restart() = 0;
};

}  // namespace toolway::local
