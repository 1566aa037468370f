#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "base/clock.h"
#include "bus/bus.h"
#include "persistence/reaper/elected_connection.h"
#include "proto/toolway/v1/session.pb.h"

namespace toolway::persistence::reaper {

/// Whether a session may be closed because it was not used for `idle`. Pure.
bool expired(const v1::SessionRecord& record, WallTime now, std::chrono::milliseconds idle);

/// Closes a session in its bucket by compare-and-set, if the bucket still says
/// that it was not used: a client that uses it at the same time wins. Whether it was closed. Waits
/// for the bus; none of its threads.
Result<bool> close_if_expired(bus::Bus& bus, const v1::SessionRecord& mirrored, WallTime now,
                              std::chrono::milliseconds idle);

/// Open sessions that were not used and in which nothing happened since `before`, and which
/// have no call that is not completed; at most `limit`. Errors: as ElectedConnection, and those of
/// a record that cannot be read.
Result<std::vector<v1::SessionRecord>> idle_sessions(ElectedConnection& connection, WallTime before,
                                                     std::size_t limit);

}  // namespace toolway::persistence::reaper
