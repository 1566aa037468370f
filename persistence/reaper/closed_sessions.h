#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "bus/bus.h"
#include "persistence/reaper/elected_connection.h"
#include "proto/toolway/v1/session.pb.h"

namespace toolway::persistence::reaper {

/// A closed session as it is recorded.
struct ClosedSession {
  std::string record;  ///< its bytes, as the bucket had them
  std::int64_t incarnation = 0;
  std::uint64_t revision = 0;
  std::string session_key;
};

/// How full the bucket of sessions may be before closed ones leave as soon as they are recorded.
inline constexpr double kCrowdedAbove = 0.5;

/// Whether the bucket `sessions` is fuller than that. Waits for the bus; none of its threads.
Result<bool> sessions_crowded(bus::StreamReader& bus);

/// Takes these out of the bucket, by compare-and-set, where it holds exactly what is recorded: one
/// that a gateway restores at the same moment stays. Leaves an empty value in place of each, which
/// tells a gateway without asking Postgres that there was one; the bucket forgets it after
/// bus::kSessionsAge.
/// Returns those that are out of it now. All are asked for at once. Waits for the bus; none of its
/// threads.
Result<std::vector<ClosedSession>> take_out(bus::Bus& bus,
                                            const std::vector<ClosedSession>& closed);

/// Sessions that were closed `keep` ago or earlier, by Postgres' clock, and that the bucket may
/// still hold, those closed first first; at most `limit`. Errors: as ElectedConnection.
Result<std::vector<ClosedSession>> closed_sessions(ElectedConnection& connection,
                                                   std::chrono::milliseconds keep,
                                                   std::size_t limit);
/// Notes that the bucket no longer holds these revisions. Errors: likewise.
Result<void> left_bucket(ElectedConnection& connection, const std::vector<ClosedSession>& sessions);

}  // namespace toolway::persistence::reaper
