#pragma once

#include <chrono>
#include <string>

#include "base/result.h"

namespace toolway::tools::builtin {

/// An instant as a zone's wall clocks show it.
struct ZonedTime {
  std::string iso8601;     ///< 2026-01-31T13:00:00.000+01:00
  std::string timezone;    ///< the IANA name
  std::string utc_offset;  ///< +01:00
};

/// Any IANA zone or alias of the system's tzdata, read by the date library, which
/// touches no global state of the C library. Thread-safe. Errors:
/// kInvalidArguments, naming zones that were perhaps meant.
Result<ZonedTime> in_zone(std::chrono::sys_time<std::chrono::microseconds> time,
                          const std::string& zone);

}  // namespace toolway::tools::builtin
