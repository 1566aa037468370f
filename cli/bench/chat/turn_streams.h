#pragma once

#include "cli/bench/chat/chat_figures.h"
#include "cli/bench/chat/chat_target.h"

namespace toolway::cli::bench::chat {

/// Turns whose replies stream at the same time, each followed by its own client; then what is
/// stored of each. Errors: kBusUnavailable; kTimeout (a stream does not end).
Result<StreamFigures> measure_streams(const ChatTarget& target, unsigned count);

}  // namespace toolway::cli::bench::chat
