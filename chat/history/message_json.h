#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/mistake.h"
#include "chat/history/message.h"

/// Messages in Toolway's own form, which keeps everything. Pure.
namespace toolway::chat::history {

/// The same message has the same text, byte for byte, however often it is read and written.
OrderedJson message_json(const Message& message);

/// Reads one; whatever is wrong with it is in `mistakes`, at `place` (a JSON Pointer).
Message read_message(const OrderedJson& value, Mistakes& mistakes, const std::string& place);

}  // namespace toolway::chat::history
