#pragma once

#include <optional>

#include "base/clock.h"
#include "bus/stream_reader.h"

namespace toolway::persistence::store {

/// How far the collectors were with a stream when asked.
struct Recording {
  WallTime asked_at{};
  bus::ConsumerState collector;
  /// When the oldest unrecorded message was stored; nothing: not known.
  std::optional<WallTime> oldest_unrecorded;
};

/// Everything that the stream had stored before this time is recorded; the epoch: nothing
/// is certain. Pure.
WallTime recorded_until(const Recording& recording);

/// The same for CALLS and EVENTS together, asked of the bus. Blocks; not for its threads.
/// Errors: those of the bus.
Result<WallTime> ask_recorded_until(bus::StreamReader& bus, const Clock& clock);

}  // namespace toolway::persistence::store
