#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bus/bus.h"
#include "proto/toolway/v1/session.pb.h"

namespace toolway::persistence {

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
Result<bool> sessions_crowded(bus::Bus& bus);

/// Takes these out of the bucket, by compare-and-set, where it holds exactly what is recorded: one
/// that a gateway restores at the same moment stays. Leaves an empty value in place of each, which
/// tells a gateway without asking Postgres that there was one; the bucket forgets it after a month.
/// Returns those that are out of it now. All are asked for at once. Waits for the bus; none of its
/// threads.
Result<std::vector<ClosedSession>> take_out(bus::Bus& bus,
                                            const std::vector<ClosedSession>& closed);

}  // namespace toolway::persistence
