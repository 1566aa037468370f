#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "persistence/postgres/pg_connection.h"
#include "persistence/reaper/closed_sessions.h"
#include "persistence/reaper/database_facts.h"
#include "persistence/reaper/reap.h"
#include "proto/toolway/v1/session.pb.h"

namespace toolway::persistence {

/// The reaper's one connection to Postgres. It also elects the reaper: the one that holds
/// the lock of its session acts, and loses it with the connection. One thread.
class ReaperStore {
 public:
  explicit ReaperStore(std::string url, PgPatience patience = {})
      : url_(std::move(url)), patience_(std::move(patience)) {}

  /// Whether this is the connection that holds the lock. Connects when there is none.
  Result<bool> elected();
  /// Gives the lock up.
  void resign();

  /// Calls between two ids that have no completion, in order, at most `limit`; both ids are
  /// exclusive. Without arguments.
  Result<std::vector<CallFacts>> incomplete(const std::string& after, const std::string& before,
                                            std::size_t limit);
  /// The same of these calls, completed or not.
  Result<std::vector<CallFacts>> facts(const std::vector<std::string>& call_ids);
  /// Those of these calls that are completed.
  Result<std::vector<std::string>> completed(const std::vector<std::string>& call_ids);
  /// RetryAt events after a position, in the order of the stream, of calls that are not older than
  /// `oldest`; at most `limit`.
  Result<std::vector<RecordedEvent>> retries(const EventPosition& after, WallTime oldest,
                                             std::size_t limit);
  /// The request as it was accepted, with its arguments.
  Result<v1::CallRequest> request(const std::string& call_id);
  /// Open sessions that were not used and in which nothing happened since `before`, and which
  /// have no call that is not completed; at most `limit`.
  Result<std::vector<v1::SessionRecord>> idle_sessions(WallTime before, std::size_t limit);
  /// Sessions that were closed `keep` ago or earlier, by Postgres' clock, and that the bucket may
  /// still hold, those closed first first; at most `limit`.
  Result<std::vector<ClosedSession>> closed_sessions(std::chrono::milliseconds keep,
                                                     std::size_t limit);
  /// Notes that the bucket no longer holds these revisions.
  Result<void> left_bucket(const std::vector<ClosedSession>& sessions);
  /// What `toolway migrate` provisioned last, as JSON; nothing: it stored none.
  Result<std::optional<std::string>> layout();
  /// The state of Postgres now.
  Result<DatabaseFacts> database();

 private:
  /// For information only: a failure costs the election only if the connection is lost.
  Result<SqlRows> look(const std::string& sql, const std::vector<SqlParameter>& parameters = {});
  Result<SqlRows> ask(const std::string& sql, const std::vector<SqlParameter>& parameters = {});
  Result<std::vector<CallFacts>> facts_where(const std::string& condition,
                                             const std::vector<SqlParameter>& values);

  const std::string url_;
  const PgPatience patience_;
  std::optional<PgConnection> connection_;
  bool elected_ = false;
};

/// The smallest id that a call of that time can have, and the time of an id.
std::string first_call_id(WallTime time);
WallTime call_id_time(const std::string& call_id);

}  // namespace toolway::persistence
