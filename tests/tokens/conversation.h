#pragma once

#include "tests/tokens/plan.h"

namespace toolway::tokens {

/// How the turns of a conversation ended.
struct Ends {
  unsigned turns = 0;
  unsigned too_long = 0;  ///< what must be sent has no room
};

/// Plays a conversation with the engine that is in `toolway talk` and in the server. Each request
/// is counted at the other end of standard input and output.
Ends play(const Plan& plan);

}  // namespace toolway::tokens
