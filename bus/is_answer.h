#pragma once

#include "base/error.h"

namespace toolway::bus {

/// Whether an error of the bus is something that JetStream has said, be it that what was asked for
/// is not there; or that nothing came from it.
inline bool is_answer(ErrorCode code) {
  return code != ErrorCode::kTimeout && code != ErrorCode::kBusUnavailable && code != ErrorCode::kOverloaded &&
         code != ErrorCode::kShuttingDown;
}

}  // namespace toolway::bus
