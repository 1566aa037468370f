#pragma once

#include <optional>

#include "base/clock.h"
#include "bus/bus.h"
#include "persistence/reaper/reap.h"

namespace toolway::persistence {

/// A call's log as the reaper reads and ends it. Waits for the bus; none of its threads.
class ReaperLog {
 public:
  ReaperLog(bus::Bus& bus, const Clock& clock) : bus_(bus), clock_(clock) {}

  /// The last event, as the leader has it; nothing: the stream has none of this call.
  Result<std::optional<RecordedEvent>> last_event(const v1::CallRequest& request);

  /// Completes the call after `in_stream`, its last event there. When all of its events have
  /// left the stream, after none, and `seq` continues from what is recorded. Errors:
  /// kWrongLastSequence, when another writer was first; others of the bus.
  Result<void> complete(const CallFacts& facts, const std::optional<RecordedEvent>& in_stream,
                        const Decision& decision);

 private:
  bus::Bus& bus_;
  const Clock& clock_;
};

/// The completion that the reaper writes for a decision; `behind`: the call's last event. Pure.
v1::CallEvent completion_of(const CallFacts& facts, const v1::CallEvent* behind,
                            const Decision& decision, WallTime now);

}  // namespace toolway::persistence
