#pragma once

#include "chat/providers/provider.h"
#include "tests/chaos/plan.h"
#include "tools/messages/message.h"

namespace toolway::chaos {

/// What comes next in a conversation as its model was sent it: the next calls of the last plan, or
/// the reply. Pure.
tools::messages::Message planned_answer(const tools::messages::Selection& messages);

/// The plan of the user's last message; nothing: there is none.
std::optional<Plan> last_plan(const tools::messages::Selection& messages);

/// A model that does what plans say. Now and then it fails, or is too busy. Thread-safe.
std::unique_ptr<chat::providers::Provider> make_planned_model(std::uint64_t seed);

}  // namespace toolway::chaos
