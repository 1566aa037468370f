#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/ids.h"
#include "gateway/loop/async_bus.h"
#include "gateway/loop/drain.h"

namespace toolway::gateway::mailbox {

/// Where the progress of the collectors is asked for.
struct RecordWatch {
  loop::AsyncBus& bus;
  const Clock& clock;
  const loop::Drain& drain;  ///< nothing waits any longer once it has begun
};

enum class Recorded {
  kAll,
  kNotYet,   ///< not within the given time
  kUnknown,  ///< the bus does not tell
};

/// Waits until the collectors have recorded what matches `filter` in `stream` now, for at most
/// `patience`, and for the bus a second longer at most. Does not wait for anything else in the
/// stream. `watch` and the text of `stream` must last. On the io_context's thread.
loop::Task<Recorded> await_recorded(const RecordWatch& watch, std::string_view stream,
                                    std::string filter, std::chrono::milliseconds patience);

/// The same for a session's calls and events at once.
loop::Task<Recorded> await_session_recorded(const RecordWatch& watch, SessionKey session,
                                            std::chrono::milliseconds patience);

/// The same for the calls and events of all sessions.
loop::Task<Recorded> await_all_recorded(const RecordWatch& watch,
                                        std::chrono::milliseconds patience);

}  // namespace toolway::gateway::mailbox
