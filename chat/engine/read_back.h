#pragma once

#include "chat/engine/memory.h"
#include "chat/window/counts.h"
#include "chat/window/estimate.h"
#include "chat/window/window.h"

namespace toolway::chat::engine {

/// What is known of one conversation's tokens, and its messages.
struct Known {
  Memory& memory;
  window::Estimate& estimate;
  window::Counts& counts;
};

/// Reads as much of the conversation as a request within `bounds` may have, and remembers what its
/// last request had. `whole`: what is left out is summarized, so all that no summary covers is
/// read. Errors: of the memory.
Result<void> read_back(const Known& known, const window::Bounds& bounds, bool whole);

}  // namespace toolway::chat::engine
