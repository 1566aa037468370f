#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/mistake.h"
#include "chat/engine/engine.h"

namespace toolway::chat::turns {

/// What a turn does besides its loop.
struct TurnOptions {
  engine::EngineConfig engine{};
  unsigned inline_ms = 20'000;  ///< how long a call may take before the model is told that it runs
  bool wakes = false;           ///< whether calls that end later begin a turn
  bool may_summarize = true;    ///< whether the operator allows summaries
  /// What may be asked for besides the usual one.
  std::vector<std::string> models{};
};

/// What a message asks for on top of what its conversation was asked for: both are objects, or
/// null. What the operator does not allow any more is left out of `kept`. Pure.
Json with_options(const Json& kept, const Json& asked, const TurnOptions& usual);

/// What one turn asks for, within the operator's bounds: `usual` is what it does not say, the most
/// tokens and iterations that there may be, and whether there may be summaries. Mistakes are at
/// `/options/…`. Pure.
TurnOptions read_turn_options(const Json& options, const TurnOptions& usual, Mistakes& mistakes);

}  // namespace toolway::chat::turns
