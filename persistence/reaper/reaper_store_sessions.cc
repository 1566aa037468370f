// Which closed sessions must leave their bucket, and which have left it.
#include "persistence/reaper/reaper_store.h"

#include "base/try.h"

namespace toolway::persistence {

Result<std::vector<ClosedSession>> ReaperStore::closed_sessions(std::chrono::milliseconds keep,
                                                                std::size_t limit) {
  ASSIGN_OR_RETURN(auto rows,
                   ask("SELECT record, incarnation, revision, session_key FROM sessions "
                       "WHERE state = 'closed' AND in_bucket "
                       "AND closed_at <= clock_timestamp() - $1::bigint * interval '1 millisecond' "
                       "ORDER BY closed_at LIMIT $2::bigint",
                       {keep.count(), limit}));
  std::vector<ClosedSession> sessions;
  sessions.reserve(rows.size());
  for (const auto& row : rows) {
    sessions.push_back({.record = row.get<std::string>("record"),
                        .incarnation = row.get<std::int64_t>("incarnation"),
                        .revision = static_cast<std::uint64_t>(row.get<std::int64_t>("revision")),
                        .session_key = row.get<std::string>("session_key")});
  }
  return sessions;
}

Result<void> ReaperStore::left_bucket(const std::vector<ClosedSession>& sessions) {
  if (sessions.empty()) return {};
  std::vector<std::string> keys;
  std::vector<std::int64_t> incarnations;
  std::vector<std::uint64_t> revisions;
  for (const ClosedSession& session : sessions) {
    keys.push_back(session.session_key);
    incarnations.push_back(session.incarnation);
    revisions.push_back(session.revision);
  }
  // One that was restored in between has a newer revision, and is in the bucket.
  auto reply = ask(
      "UPDATE sessions s SET in_bucket = false "
      "FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS gone (session_key, incarnation, revision) "
      "WHERE s.session_key = gone.session_key AND s.incarnation = gone.incarnation "
      "AND s.revision = gone.revision",
      {SqlParameter::array(keys), SqlParameter::array(incarnations),
       SqlParameter::array(revisions)});
  RETURN_IF_ERROR(reply);
  return {};
}

}  // namespace toolway::persistence
