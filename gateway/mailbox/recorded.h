#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "gateway/services/services.h"

namespace toolway::gateway {

enum class Recorded {
  kAll,
  kNotYet,   ///< not within the given time
  kUnknown,  ///< the bus does not tell
};

/// Waits until the collectors have recorded what matches `filter` in `stream` now, for at most
/// `patience`. Does not wait for anything else in the stream. On the io_context's thread.
Task<Recorded> await_recorded(Services& services, std::string_view stream, std::string filter,
                              std::chrono::milliseconds patience);

/// The same for a session's calls and events at once.
Task<Recorded> await_session_recorded(Services& services, SessionKey session,
                                      std::chrono::milliseconds patience);

}  // namespace toolway::gateway
