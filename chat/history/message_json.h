#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/mistake.h"
#include "chat/history/message.h"

/// Messages in Toolway's own form, which keeps everything. Pure.
namespace toolway::chat::history {

/// The same message has the same text, byte for byte, however often it is read and written.
OrderedJson message_json(const Message& message);

/// Their list, as arguments of a call have it.
Json messages_json(std::span<const Message> messages);

/// Reads one; whatever is wrong with it is in `mistakes`, at `place` (a JSON Pointer).
Message read_message(const OrderedJson& value, Mistakes& mistakes, const std::string& place);

}  // namespace toolway::chat::history
