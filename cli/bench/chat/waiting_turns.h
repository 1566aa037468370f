#pragma once

#include "cli/bench/chat/chat_figures.h"
#include "cli/bench/chat/chat_target.h"

namespace toolway::cli::bench::chat {

/// Turns that all wait for the model at the same time; ends when each has been answered.
/// Errors: kBusUnavailable; kTimeout (they do not come to the model, or do not end).
Result<WaitingFigures> measure_waiting(const ChatTarget& target, unsigned count);

}  // namespace toolway::cli::bench::chat
