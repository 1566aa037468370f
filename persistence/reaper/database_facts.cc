#include "persistence/reaper/database_facts.h"

#include "base/try.h"

namespace toolway::persistence::reaper {
namespace {

constexpr const char* kTableBytes =
    "SELECT coalesce((SELECT sum(pg_total_relation_size(part))::bigint FROM "
    "(SELECT parent.oid AS part UNION ALL "
    "SELECT inhrelid FROM pg_inherits WHERE inhparent = parent.oid) parts), 0) AS bytes "
    "FROM (SELECT place, to_regclass(name)::oid AS oid "
    "FROM unnest($1::text[]) WITH ORDINALITY AS asked(name, place)) parent ORDER BY place";

/// Our own is idle except for this query. The type of a hidden one is hidden, too.
constexpr const char* kConnections =
    "SELECT CASE WHEN pid = pg_backend_pid() OR state = 'idle' THEN 'idle' "
    "WHEN state LIKE 'idle in transaction%' THEN 'idle_in_transaction' "
    "WHEN state IN ('active', 'fastpath function call') THEN 'active' ELSE 'hidden' END AS state, count(*) AS count "
    "FROM pg_stat_activity WHERE datname = current_database() "
    "AND coalesce(backend_type, 'client backend') = 'client backend' GROUP BY 1";

/// Transaction ids belong to the whole server, and so does what a mailbox waits for.
constexpr const char* kOldestTransaction =
    "SELECT coalesce(extract(epoch FROM clock_timestamp() - least("
    "(SELECT min(xact_start) FROM pg_stat_activity WHERE backend_xid IS NOT NULL), "
    "(SELECT min(prepared) FROM pg_prepared_xacts)))::float8, 0) AS seconds";

}  // namespace

Result<DatabaseFacts> database_facts(ElectedConnection& connection) {
  DatabaseFacts facts;
  ASSIGN_OR_RETURN(auto sizes,
                   connection.look(kTableBytes, {postgres::SqlParameter::array(kOurTables)}));
  for (std::size_t i = 0; i < facts.table_bytes.size(); ++i) {
    facts.table_bytes[i] = static_cast<std::uint64_t>(sizes.at(i).get<std::int64_t>("bytes"));
  }
  auto connections = connection.look(kConnections);
  RETURN_IF_ERROR(connections);
  for (const auto& row : *connections) {
    for (std::size_t i = 0; i < kConnectionStates.size(); ++i) {
      if (row.get<std::string>("state") != kConnectionStates[i]) continue;
      facts.connections[i] = static_cast<std::uint64_t>(row.get<std::int64_t>("count"));
    }
  }
  auto oldest = connection.look(kOldestTransaction);
  RETURN_IF_ERROR(oldest);
  facts.oldest_transaction = std::chrono::duration<double>(oldest->at(0).get<double>("seconds"));
  return facts;
}

}  // namespace toolway::persistence::reaper
