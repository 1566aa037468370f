#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "chat/engine/tool_box.h"
#include "tools/messages/message.h"

namespace toolway::chat::engine {

/// What the model is told of calls that outlived their turn's wait: how they ended, and how far
/// those are that run. Its text is empty when there is nothing to tell. `tokens`: of what one call
/// says, at most, as `window::Tokens::most` counts; a message has four times as many, and what does
/// not fit is told with a later one. Pure.
tools::messages::Message injected_message(const std::vector<EndedCall>& ended,
                                          const std::vector<CallProgress>& progress, double tokens);

/// How many of `calls`, of which `ended` are told in their order, come before the first one that a
/// message about `told` leaves for a later one. Pure.
std::size_t heard_of(const std::vector<std::string>& calls, const std::vector<EndedCall>& ended,
                     const std::vector<std::string>& told);

}  // namespace toolway::chat::engine
