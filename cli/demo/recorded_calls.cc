#include "cli/demo/recorded_calls.h"

#include "persistence/postgres/pg_connection.h"

namespace toolway::cli::demo {
namespace {

constexpr const char* kSql =
    "SELECT c.call_id::text AS call_id, c.namespace || '.' || c.tool AS tool,"
    "  coalesce(o.outcome::text, '-') AS outcome,"
    "  (SELECT count(*) FROM call_events e WHERE e.call_id = c.call_id) AS events,"
    "  round(extract(epoch FROM o.completed_at - c.submitted_at) * 1000, 1) || ' ms' AS took "
    "FROM calls c LEFT JOIN completions o USING (call_id) "
    "WHERE c.session_id = $1 ORDER BY c.call_id";

}  // namespace

Result<std::vector<CallRow>> recorded_calls(const std::string& postgres_url,
                                            const std::string& session_id) {
  namespace postgres = persistence::postgres;
  auto connection = postgres::PgConnection::open(postgres_url, {}, postgres::PgAccess::kReadOnly);
  if (!connection) return fail(postgres::error_of(connection.error(), "connecting to Postgres"));
  const auto rows = connection->execute(kSql, {session_id});
  if (!rows) return fail(postgres::error_of(rows.error(), "reading the recorded calls"));
  std::vector<CallRow> calls;
  for (const auto& row : *rows)
    calls.push_back({.call_id = row.get<std::string>("call_id"),
                     .tool = row.get<std::string>("tool"),
                     .outcome = row.get<std::string>("outcome"),
                     .events = row.get<std::int64_t>("events"),
                     .took = row.nullable<std::string>("took").value_or("")});
  return calls;
}

}  // namespace toolway::cli::demo
