#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "persistence/reaper/elected_connection.h"
#include "persistence/reaper/reap.h"

namespace toolway::persistence::reaper {

/// What the reaper asks Postgres about calls. One thread. Errors of all: as ElectedConnection.
class RecordedCalls {
 public:
  explicit RecordedCalls(ElectedConnection& connection) : connection_(connection) {}

  /// Calls between two ids that have no completion, in order, at most `limit`; both ids are
  /// exclusive. Without arguments.
  Result<std::vector<ReapFacts>> incomplete(const std::string& after, const std::string& before,
                                            std::size_t limit);
  /// Calls after an id (empty: from the first) that wait for approval, in order, at most `limit`;
  /// `oldest`: older ones need not be looked for.
  Result<std::vector<ReapFacts>> held(const std::string& after, std::size_t limit, WallTime oldest);
  /// The same of those that are too young to be looked for otherwise: with ids after `after`.
  Result<std::vector<ReapFacts>> newly_held(const std::string& after, std::size_t limit);
  /// The same of calls whose tools have asked, between two ids.
  Result<std::vector<ReapFacts>> asking(const std::string& after, const std::string& before,
                                        std::size_t limit);
  /// The same of these calls, completed or not.
  Result<std::vector<ReapFacts>> facts(const std::vector<std::string>& call_ids);
  /// Those of these calls that are completed.
  Result<std::vector<std::string>> completed(const std::vector<std::string>& call_ids);
  /// RetryAt, ApprovalDecided and InputProvided events after a position, in the order of the
  /// stream, of calls that are not older than `oldest`; at most `limit`.
  Result<std::vector<store::RecordedEvent>> retries(const store::EventPosition& after,
                                                    WallTime oldest, std::size_t limit);
  /// The request as it was accepted, with its arguments. Also kUnknownCall.
  Result<v1::CallRequest> request(const std::string& call_id);

 private:
  Result<std::vector<ReapFacts>> facts_where(const std::string& condition,
                                             const std::vector<postgres::SqlParameter>& values);

  ElectedConnection& connection_;
};

/// When the call of that id was made, to the millisecond.
WallTime call_id_time(const std::string& call_id);

}  // namespace toolway::persistence::reaper
