#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/mistake.h"
#include "tools/messages/message.h"

/// Messages in Toolway's own form, which keeps everything. Pure.
namespace toolway::tools::messages {

/// The same message has the same text, byte for byte, however often it is read and written.
OrderedJson message_json(const Message& message);

/// Their list, as arguments of a call have it. Those are sorted on their way, so what a provider
/// made in its own form, and gets back as it was, is the text of its JSON.
Json messages_json(std::span<const Message> messages);

/// Reads one; whatever is wrong with it is in `mistakes`, at `place` (a JSON Pointer).
Message read_message(const OrderedJson& value, Mistakes& mistakes, const std::string& place);

/// Reads what `messages_json` wrote, up to the first one that is wrong.
std::vector<Message> read_messages(const Json& list, Mistakes& mistakes, const std::string& place);

}  // namespace toolway::tools::messages
