#pragma once

#include "chat/engine/memory.h"
#include "chat/engine/reply.h"
#include "tools/model/tool.h"

namespace toolway::chat::turns {

/// What the call of a turn ends with. `first`: the number of the turn's first message in `memory`.
/// Pure.
tools::model::Execution ending_of(const engine::Reply& reply, const engine::Memory& memory,
                                  std::uint64_t first);

}  // namespace toolway::chat::turns
