#pragma once

#include <chrono>

#include "base/clock.h"
#include "bus/bus.h"
#include "proto/toolway/v1/session.pb.h"

namespace toolway::persistence {

/// Whether a session may be closed since nobody used it for `idle`. Pure.
bool expired(const v1::SessionRecord& record, WallTime now, std::chrono::milliseconds idle);

/// Closes a session in its bucket by compare-and-set, if what the bucket says of it still is
/// that nobody used it: whoever uses it meanwhile wins. Whether it was closed. Waits for the
/// bus; none of its threads.
Result<bool> close_if_expired(bus::Bus& bus, const v1::SessionRecord& mirrored, WallTime now,
                              std::chrono::milliseconds idle);

}  // namespace toolway::persistence
