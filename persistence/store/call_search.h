#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "persistence/postgres/sql_parameter.h"
#include "persistence/store/call_filter.h"

/// How a user's calls are searched: an index gives candidates, newest first, and each is looked at
/// until enough of them fit. However rare those are, one statement looks at kMaxLooks candidates.
namespace toolway::persistence::store {

/// At most 50 ms on a quiet machine, whatever the filter.
inline constexpr std::size_t kMaxLooks = 5'000;

/// What gives the candidates: the index that leaves the fewest for most users.
enum class CandidateIndex {
  kSession,    ///< of one session
  kErrorCode,  ///< ended with this code, of all users
  kOutcome,    ///< ended with this outcome, which is not `succeeded`, of all users
  kRetried,    ///< had two attempts or more, of all users
  kSlow,       ///< ran for kSlow or longer, of all users
  kTool,       ///< of a user and a tool
  kUser,       ///< all of a user's
};
CandidateIndex candidate_index(const CallFilter& filter);

/// Calls whose last attempt ran as long have an index of their own (migration 0011).
inline constexpr std::chrono::seconds kSlow{1};

struct SearchStatement {
  std::string sql;
  std::vector<postgres::SqlParameter> parameters;
};

/// The newest `rows` calls that fit, older than `before`, by looking at `looks` candidates at most.
/// Columns: `call_id`, `fits` and `last_look`. The last candidate that may be looked at is a row in
/// any case, so that the next search can continue after it. Pure.
SearchStatement search_statement(const CallFilter& filter, const std::optional<CallId>& before,
                                 std::size_t rows, std::size_t looks = kMaxLooks);

/// The smallest text of a UUIDv7 that a call of that time has, to the millisecond.
std::string first_call_id(WallTime time);

}  // namespace toolway::persistence::store
