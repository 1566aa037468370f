#pragma once

#include <vector>

#include "base/json.h"
#include "tests/chaos/talk_history.h"

namespace toolway::chaos {

/// The messages that an answer of `GET …/messages` has.
std::vector<MessageShown> messages_shown(const OrderedJson& page);
/// One message as such an answer has it: its members besides its number and turn are `body`'s.
MessageShown message_shown(std::uint64_t number, const std::string& turn, const OrderedJson& body);

}  // namespace toolway::chaos
