#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/try.h"
#include "bus/sync_support.h"
#include "cli/process/pools.h"
#include "cli/process/process_parts.h"
#include "cli/terminal/exit_code.h"
#include "persistence/schema/after_restore.h"
#include "persistence/schema/migrate.h"
#include "persistence/schema/stream_layout.h"

namespace toolway::cli::process {
namespace {

/// `name=N`: how many partitions a pool of the layout has.
Result<void> partition(bus::Layout& layout, const std::vector<std::string>& texts) {
  ASSIGN_OR_RETURN(const auto wanted, parse_partitions(texts));
  for (const auto& [name, number] : wanted) {
    const auto pool = std::find_if(layout.pools.begin(), layout.pools.end(),
                                   [&](const auto& each) { return each.name == name; });
    if (pool == layout.pools.end())
      return fail(ErrorCode::kInvalidRequest,
                  fmt::format("--partitions {}={}: migrate makes no pool '{}'; --pool {} adds it",
                              name, number, name, name));
    pool->partitions = number;
  }
  return {};
}

/// What streams and queues should be: as the options say, and else as they were. Streams that
/// shrink lose what they keep, so a command that says nothing of them leaves them as they are.
Result<bus::Layout> layout_of(const ProcessOptions& options) {
  ASSIGN_OR_RETURN(auto pools, parse_pools(options.pools));
  ASSIGN_OR_RETURN(auto before, persistence::schema::stored_layout(options.postgres_url));
  if (!before && options.after_restore && !(options.replicas && options.window_gib)) {
    return fail(ErrorCode::kInvalidRequest,
                "--after-restore: this database does not say how large the streams are; give "
                "--replicas and --window-gib, or what exceeds the defaults would be deleted");
  }
  bus::Layout layout;
  if (before) {
    layout.replicas = before->replicas;
    layout.max_bytes = before->max_bytes;
  }
  if (options.replicas) layout.replicas = *options.replicas;
  if (options.window_gib) layout.max_bytes = static_cast<std::int64_t>(*options.window_gib) << 30;
  for (const auto& name : default_pools()) layout.pools.push_back({.name = name});
  for (const auto& pool : pools) {
    const bool known = std::any_of(layout.pools.begin(), layout.pools.end(),
                                   [&](const auto& other) { return other.name == pool.name; });
    if (!known) layout.pools.push_back({.name = pool.name});
  }
  RETURN_IF_ERROR(partition(layout, options.partitions));
  if (before) persistence::schema::keep_pools(layout, *before);
  return layout;
}

}  // namespace

int run_migrate(const ProcessOptions& options) {
  start_log(options, "migrate");
  auto migrated = persistence::schema::migrate(options.postgres_url);
  if (!migrated) return report(migrated.error());
  for (const auto& name : migrated->applied) spdlog::info("applied {}", name);
  auto bus = connect_patiently({.url = options.nats,
                                .name = "toolway-migrate",
                                .group_commit = options.durability == Durability::kPower});
  if (!bus) return report(bus.error());
  const auto layout = layout_of(options);
  if (!layout) return report(layout.error());
  if (auto provisioned = (*bus)->provision(*layout); !provisioned)
    return report(provisioned.error());
  if (options.durability == Durability::kPower)
    if (auto able = bus::server_can_sync(**bus); !able) return report(able.error());
  if (options.after_restore) {
    auto restored = persistence::schema::after_restore(**bus, options.postgres_url);
    if (!restored) return report(restored.error());
    if (auto provisioned = (*bus)->provision(*layout); !provisioned)
      return report(provisioned.error());
    spdlog::info(
        "after a restore: {} sessions put back, the streams' window is recorded again, transaction ids continue from {}",
        restored->sessions, restored->transaction);
  }
  auto stored = persistence::schema::store_layout(options.postgres_url, *layout);
  if (!stored) return report(stored.error());
  spdlog::info("schema version {}, streams and durables as they should be", migrated->version);
  return terminal::kExitOk;
}

}  // namespace toolway::cli::process
