#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/durability.h"
#include "base/seal_keys.h"
#include "bus/bus.h"
#include "bus/loop_thread.h"
#include "extensions/services/service_desk.h"
#include "gateway/admission/guard.h"
#include "gateway/auth/authority.h"
#include "gateway/calls/key_shares.h"
#include "gateway/edge/edge_options.h"
#include "gateway/sessions/user_sessions.h"
#include "gateway/wire/user_places.h"
#include "monitoring/metrics.h"
#include "monitoring/tracer.h"
#include "persistence/specs/spec_store.h"
#include "persistence/store/store_reader.h"
#include "tools/loaders/spec_source.h"
#include "tools/model/live_registry.h"
#include "tools/specs/live_offers.h"

namespace toolway::gateway {

struct GatewayOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;  ///< 0: from the kernel
  std::size_t max_body_bytes = 1024 * 1024;
  std::size_t max_header_bytes = 16 * 1024;
  std::size_t max_arguments_bytes = 512 * 1024;
  std::chrono::milliseconds accept_deadline{5000};  ///< for a PubAck
  std::chrono::seconds read_timeout{15};            ///< for one whole request, once begun
  std::chrono::seconds idle_timeout{75};            ///< between requests
  std::chrono::seconds write_timeout{15};           ///< for one response or event
  std::chrono::seconds gap_check{2};
  /// An open session that no client uses or follows for this long expires; 0: never. The same as
  /// the collectors', which close it.
  std::chrono::seconds session_idle{3600};
  /// For so long collectors keep calls; 0: always. Clients are told it.
  std::chrono::days keep_days{0};
  sessions::SessionCaps session_caps{};  ///< of one user
  calls::KeyCaps key_caps{};             ///< likewise
  std::size_t max_connections = 20'000;
  /// For the whole process with 10,000 connections; MemoryBudget counts its part of it.
  std::size_t memory_budget_bytes = 512 * 1024 * 1024;
  unsigned store_threads = 4;
  unsigned work_threads = 2;  ///< for large documents
  /// Calls that requests wait for at once; raised to `max_connections` and `requests_per_user`, so
  /// that each request may wait for one call.
  wire::UserPlaces::Caps waits{.most = 20'000, .per_user = 10'000};
  admission::GuardCaps guard{};  ///< calls beyond them are refused
  edge::EdgeOptions edge{};
  std::shared_ptr<auth::Authority> authority{};  ///< null: callers are not asked who they are
  /// What seals tokens that gateways hand out and take back; the same for all gateways of a fleet.
  std::shared_ptr<const SealKeys> seal_keys{};
  /// What asks services about calls; null: none may be asked.
  std::shared_ptr<extensions::services::ServiceDesk> services{};
  std::shared_ptr<monitoring::Tracer> tracer = monitoring::no_tracing();
  /// What /readyz says of this machine's clock. Thread-safe.
  std::function<std::string()> clock_in_words = [] { return std::string("ok"); };
  /// The bus's, if it has any that the gateway may take: its answers then come on the gateway's own
  /// thread.
  bus::LoopThread* bus_turns = nullptr;
  /// What operators change; null: their requests about specs are refused. Must outlive the gateway,
  /// and is asked on several threads.
  persistence::specs::SpecStore* specs = nullptr;
  /// Up to which revision of them this process has read. Thread-safe.
  std::function<std::int64_t()> specs_read_up_to = [] { return std::int64_t{0}; };
  /// How the files that they put are read; called on several threads.
  tools::loaders::ReadSpecs read_specs{};
  /// Prompts and resources, for clients of the Model Context Protocol.
  std::shared_ptr<const tools::specs::LiveOffers> offers =
      std::make_shared<const tools::specs::LiveOffers>();
  std::optional<Durability> durability{};  ///< that of its NATS servers, if it was told
  /// Several gateways of one process may share its port; the kernel spreads connections over them.
  /// Each has its bus and its store, and an equal part of what bounds the process: connections,
  /// memory, bytes of requests. What bounds a user or an address holds for each of them.
  unsigned loops = 1;
  unsigned loop = 0;  ///< which of them this one is
};

/// The HTTP side. Listens from `start_gateway` on until destroyed; one thread
/// runs all requests. What it is given must outlive it.
class Gateway {
 public:
  virtual ~Gateway() = default;
  virtual std::uint16_t port() const = 0;
  /// Takes no new connections, answers requests in progress, refuses what comes on connections
  /// that are open, tells the followers of events to reconnect elsewhere, returns.
  virtual void drain(std::chrono::milliseconds timeout) = 0;
  /// The same, without waiting for requests in progress.
  virtual void begin_drain() = 0;
};

}  // namespace toolway::gateway
