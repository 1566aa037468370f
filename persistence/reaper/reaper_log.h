#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "bus/stream_reader.h"
#include "persistence/reaper/reap.h"

namespace toolway::persistence::reaper {

/// The last event of a call, as the leader has it; nothing: the stream has none of this call. Waits
/// for the bus: of none of its threads. Errors: those of the bus.
Result<std::optional<store::RecordedEvent>> last_in_stream(bus::StreamReader& bus,
                                                           const v1::CallRequest& request);

/// The subject of a call's events. Pure.
Result<std::string> log_subject(const v1::CallRequest& request);

/// The completion that the reaper writes for a decision; `last`: the call's last event. Pure.
v1::CallEvent completion_of(const ReapFacts& facts, const v1::CallEvent* last,
                            const Decision& decision, WallTime now);

}  // namespace toolway::persistence::reaper
