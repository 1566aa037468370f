#pragma once

#include "base/error.h"

namespace toolway::bus {

/// Whether an error of the bus is an answer of JetStream (including that what was asked for
/// does not exist), rather than the lack of one.
inline bool is_answer(ErrorCode code) {
  return code != ErrorCode::kTimeout && code != ErrorCode::kBusUnavailable &&
         code != ErrorCode::kOverloaded && code != ErrorCode::kShuttingDown;
}

}  // namespace toolway::bus
