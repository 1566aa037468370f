// What the reaper asks Postgres about itself.
#include <fmt/ranges.h>

#include <cstdlib>

#include "persistence/reaper/reaper_store.h"

namespace toolway::persistence {
namespace {

constexpr const char* kTableBytes =
    "SELECT coalesce((SELECT sum(pg_total_relation_size(part)) FROM "
    "(SELECT parent.oid AS part UNION ALL "
    "SELECT inhrelid FROM pg_inherits WHERE inhparent = parent.oid) parts), 0) "
    "FROM (SELECT place, to_regclass(name)::oid AS oid "
    "FROM unnest($1::text[]) WITH ORDINALITY AS asked(name, place)) parent ORDER BY place";

/// Our own is idle except for this query. The type of a hidden one is hidden, too.
constexpr const char* kConnections =
    "SELECT CASE WHEN pid = pg_backend_pid() OR state = 'idle' THEN 'idle' "
    "WHEN state LIKE 'idle in transaction%' THEN 'idle_in_transaction' "
    "WHEN state IN ('active', 'fastpath function call') THEN 'active' ELSE 'hidden' END, count(*) "
    "FROM pg_stat_activity WHERE datname = current_database() "
    "AND coalesce(backend_type, 'client backend') = 'client backend' GROUP BY 1";

/// Transaction ids belong to the whole server, and so does what a mailbox waits for.
constexpr const char* kOldestTransaction =
    "SELECT coalesce(extract(epoch FROM clock_timestamp() - least("
    "(SELECT min(xact_start) FROM pg_stat_activity WHERE backend_xid IS NOT NULL), "
    "(SELECT min(prepared) FROM pg_prepared_xacts))), 0)";

}  // namespace

Result<DatabaseFacts> ReaperStore::database() {
  DatabaseFacts facts;
  auto sizes = look(kTableBytes, {fmt::format("{{{}}}", fmt::join(kOurTables, ","))});
  if (!sizes) return fail(std::move(sizes.error()));
  for (std::size_t i = 0; i < facts.table_bytes.size(); ++i) {
    facts.table_bytes[i] = std::strtoull(sizes->rows.at(i).at(0).c_str(), nullptr, 10);
  }
  auto connections = look(kConnections, {});
  if (!connections) return fail(std::move(connections.error()));
  for (const auto& row : connections->rows) {
    for (std::size_t i = 0; i < kConnectionStates.size(); ++i) {
      if (row.at(0) == kConnectionStates[i]) facts.connections[i] = std::strtoull(row.at(1).c_str(), nullptr, 10);
    }
  }
  auto oldest = look(kOldestTransaction, {});
  if (!oldest) return fail(std::move(oldest.error()));
  facts.oldest_transaction = std::chrono::duration<double>(std::strtod(oldest->rows.at(0).at(0).c_str(), nullptr));
  return facts;
}

}  // namespace toolway::persistence
