#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "gateway/services/services.h"

namespace toolway::gateway {

enum class Recorded {
  kAll,
  kNotYet,   ///< not within the time that was given
  kUnknown,  ///< the bus does not say
};

/// Waits until the collectors have recorded what matches `filter` in `stream` now, `patience`
/// at most. What others have in the stream is not waited for. On the io_context's thread.
Task<Recorded> await_recorded(Services& services, std::string_view stream, std::string filter,
                              std::chrono::milliseconds patience);

/// The same for a session's calls and events at once.
Task<Recorded> await_session_recorded(Services& services, SessionKey session,
                                      std::chrono::milliseconds patience);

}  // namespace toolway::gateway
