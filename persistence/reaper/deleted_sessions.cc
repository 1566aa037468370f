#include "persistence/reaper/deleted_sessions.h"

#include <algorithm>

#include "base/try.h"

namespace toolway::persistence::reaper {
namespace {

Result<std::vector<std::string>> keys_of(Result<postgres::SqlRows> rows, const char* column) {
  RETURN_IF_ERROR(rows);
  std::vector<std::string> keys;
  keys.reserve(rows->size());
  for (const auto& row : *rows) keys.push_back(row.get<std::string>(column));
  return keys;
}

}  // namespace

Result<std::vector<std::string>> sessions_to_purge(ElectedConnection& connection,
                                                   std::size_t limit) {
  return keys_of(connection.ask("SELECT session_key FROM sessions WHERE state = 'deleted' "
                                "AND (purge_at IS NULL OR purge_at <= clock_timestamp()) "
                                "ORDER BY purge_at NULLS FIRST LIMIT $1::bigint",
                                {limit}),
                 "session_key");
}

Result<std::size_t> purge_calls(ElectedConnection& connection, const std::string& session_key) {
  // A call that ended after its request was purged has only what came later.
  ASSIGN_OR_RETURN(
      auto ids,
      keys_of(connection.ask("(SELECT call_id FROM calls WHERE session_key = $1::uuid "
                             "LIMIT $2::bigint) UNION (SELECT call_id FROM completions "
                             "WHERE session_key = $1::uuid LIMIT $2::bigint) UNION "
                             "(SELECT call_id FROM call_events WHERE session_key = $1::uuid "
                             "LIMIT $2::bigint) ORDER BY call_id LIMIT $2::bigint",
                             {session_key, kPurgedAtOnce}),
              "call_id"));
  if (ids.empty()) return 0;
  RETURN_IF_ERROR(
      connection.ask("WITH requests AS (DELETE FROM calls WHERE call_id = ANY ($1::uuid[])), "
                     "events AS (DELETE FROM call_events WHERE call_id = ANY ($1::uuid[])), "
                     "ends AS (DELETE FROM completions WHERE call_id = ANY ($1::uuid[])), "
                     "results AS (DELETE FROM blobs WHERE call_id = ANY ($1::uuid[])), "
                     "held AS (DELETE FROM approvals WHERE call_id = ANY ($1::uuid[])) "
                     "DELETE FROM call_alive WHERE call_id = ANY ($1::uuid[])",
                     {postgres::SqlParameter::array(ids)}));
  return ids.size();
}

Result<void> end_purge(ElectedConnection& connection, const std::string& session_key) {
  RETURN_IF_ERROR(connection.ask(
      "WITH gone AS (DELETE FROM conversations WHERE session_key = $1::uuid RETURNING id), "
      "said AS (DELETE FROM messages WHERE conversation IN (SELECT id FROM gone)), "
      "called AS (DELETE FROM conversation_calls WHERE conversation IN (SELECT id FROM gone)) "
      "DELETE FROM conversation_waiters WHERE session_key = $1::uuid",
      {session_key}));
  // The streams hold a day, and the bucket seven (bus::kSessionsAge).
  RETURN_IF_ERROR(
      connection.ask("DELETE FROM sessions WHERE session_key = $1::uuid AND state = 'deleted' "
                     "AND closed_at <= clock_timestamp() - interval '25 hours' "
                     "AND (NOT in_bucket OR closed_at <= clock_timestamp() - interval '8 days')",
                     {session_key}));
  RETURN_IF_ERROR(connection.ask(
      "UPDATE sessions SET purge_at = greatest(closed_at + interval '25 hours', "
      "clock_timestamp() + interval '1 hour') WHERE session_key = $1::uuid AND state = 'deleted'",
      {session_key}));
  // With the row of the newest gone, an older one would have the name.
  RETURN_IF_ERROR(connection.ask(
      "UPDATE sessions o SET state = 'deleted', closed_at = d.closed_at, in_bucket = false "
      "FROM sessions d WHERE d.session_key = $1::uuid AND o.tenant_id = d.tenant_id "
      "AND o.user_id = d.user_id AND o.session_id = d.session_id AND o.state <> 'deleted' "
      "AND (o.incarnation, o.revision) < (d.incarnation, d.revision)",
      {session_key}));
  return {};
}

}  // namespace toolway::persistence::reaper
