#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "persistence/reaper/elected_connection.h"

namespace toolway::persistence::reaper {

/// The number of calls that one statement purges, at most.
inline constexpr std::size_t kPurgedAtOnce = 1000;

/// Deleted sessions that are due to be purged, at most `limit`: those just recorded first. Their
/// keys. Errors: as ElectedConnection.
Result<std::vector<std::string>> sessions_to_purge(ElectedConnection& connection,
                                                   std::size_t limit);

/// Deletes what Postgres holds of a deleted session's calls (requests, events, completions and
/// results), kPurgedAtOnce of them; how many it found: with as many there may be more. Errors:
/// likewise.
Result<std::size_t> purge_calls(ElectedConnection& connection, const std::string& session_key);

/// After a session's last call is purged. What of it was still on its way is purged a day later,
/// when nothing of it is in the streams any more, and then its row goes as well, if the bucket no
/// longer holds it. Older sessions of its name, which the bucket lost, are deleted with it. Errors:
/// likewise.
Result<void> end_purge(ElectedConnection& connection, const std::string& session_key);

}  // namespace toolway::persistence::reaper
