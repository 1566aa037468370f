#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/log.h"
#include "bus/jetstream_bus.h"
#include "cli/exit_code.h"
#include "cli/process/pools.h"
#include "cli/process/process_parts.h"
#include "persistence/after_restore.h"
#include "persistence/migrate.h"
#include "persistence/stream_layout.h"

namespace toolway::cli {

int run_migrate(const ProcessOptions& options) {
  start_logging("migrate", options.log_level);
  auto migrated = persistence::migrate(options.postgres_url);
  if (!migrated) return report(migrated.error());
  for (const auto& name : migrated->applied) spdlog::info("applied {}", name);
  auto bus = bus::connect_jetstream({.url = options.nats, .name = "toolway-migrate"});
  if (!bus) return report(bus.error());
  auto pools = parse_pools(options.pools);
  if (!pools) return report(pools.error());
  bus::Layout layout;
  layout.replicas = options.replicas;
  for (const auto& name : default_pools()) layout.pools.push_back({.name = name});
  for (const auto& pool : *pools) {
    const bool known = std::any_of(layout.pools.begin(), layout.pools.end(),
                                   [&](const auto& other) { return other.name == pool.name; });
    if (!known) layout.pools.push_back({.name = pool.name});
  }
  if (auto provisioned = (*bus)->provision(layout); !provisioned) return report(provisioned.error());
  if (options.after_restore) {
    auto restored = persistence::after_restore(**bus, options.postgres_url);
    if (!restored) return report(restored.error());
    if (auto provisioned = (*bus)->provision(layout); !provisioned) return report(provisioned.error());
    spdlog::info("after a restore: {} sessions put back, the streams' window is recorded again, transaction ids go on from {}",
                 restored->sessions, restored->transaction);
  }
  auto stored = persistence::store_layout(options.postgres_url, layout);
  if (!stored) return report(stored.error());
  spdlog::info("schema version {}, streams and durables as they should be", migrated->version);
  return kExitOk;
}

}  // namespace toolway::cli
