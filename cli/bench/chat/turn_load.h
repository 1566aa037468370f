#pragma once

#include "cli/bench/chat/chat_figures.h"
#include "cli/bench/chat/chat_target.h"

namespace toolway::cli::bench::chat {

struct TurnPace {
  double seconds = 10;
  double per_s = 0;       ///< of an open loop; 0: closed
  unsigned at_once = 32;  ///< connections; turns at once at most
};

/// Turns with one call each: POST …/messages that waits for the reply. An open loop measures from
/// when a turn was due. Errors: kBusUnavailable, kTimeout; a turn that ends in another way than it
/// should is counted.
Result<TurnTimes> measure_turns(const ChatTarget& target, const TurnPace& pace);

}  // namespace toolway::cli::bench::chat
