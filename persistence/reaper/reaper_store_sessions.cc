// Which closed sessions must leave their bucket, and which have left it.
#include <fmt/format.h>

#include <cstdlib>

#include "persistence/postgres/pqxx_query.h"
#include "persistence/reaper/reaper_store.h"

namespace toolway::persistence {

Result<std::vector<ClosedSession>> ReaperStore::closed_sessions(std::chrono::milliseconds keep, std::size_t limit) {
  auto reply = ask("SELECT record, incarnation, revision, session_key FROM sessions "
                   "WHERE state = 'closed' AND in_bucket "
                   "AND closed_at <= clock_timestamp() - $1::bigint * interval '1 millisecond' "
                   "ORDER BY closed_at LIMIT $2::bigint",
                   {std::to_string(keep.count()), std::to_string(limit)});
  if (!reply) return fail(std::move(reply.error()));
  std::vector<ClosedSession> sessions;
  sessions.reserve(reply->rows.size());
  for (const auto& row : reply->rows) {
    sessions.push_back({.record = bytes_of_bytea(row[0]),
                        .incarnation = std::strtoll(row[1].c_str(), nullptr, 10),
                        .revision = std::strtoull(row[2].c_str(), nullptr, 10),
                        .session_key = row[3]});
  }
  return sessions;
}

Result<void> ReaperStore::left_bucket(const std::vector<ClosedSession>& sessions) {
  if (sessions.empty()) return {};
  std::string keys;
  std::string incarnations;
  std::string revisions;
  for (const ClosedSession& session : sessions) {
    const char* separator = keys.empty() ? "{" : ",";
    keys += separator + session.session_key;
    incarnations += fmt::format("{}{}", separator, session.incarnation);
    revisions += fmt::format("{}{}", separator, session.revision);
  }
  // One that was restored in between has a newer revision, and is in the bucket.
  auto reply = ask("UPDATE sessions s SET in_bucket = false "
                   "FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS gone (session_key, incarnation, revision) "
                   "WHERE s.session_key = gone.session_key AND s.incarnation = gone.incarnation "
                   "AND s.revision = gone.revision",
                   {keys + "}", incarnations + "}", revisions + "}"});
  if (!reply) return fail(std::move(reply.error()));
  return {};
}

}  // namespace toolway::persistence
