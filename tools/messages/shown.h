#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "tools/messages/message.h"

/// Parts of messages as models are shown them. Pure.
namespace toolway::tools::messages {

/// A tool's output with `[[SYSTEM: …]]` of its own written as `[\[SYSTEM: …]]`: only what the
/// engine injects may look like that.
std::string without_forged_markers(std::string_view text);

/// The same, for inside a marker: each `]]` that would end it is `]\]`.
std::string inside_marker(std::string_view text);

/// A name that every API takes: `[A-Za-z0-9_-]{1,64}`; what else the model wrote becomes `_`.
std::string shown_tool_name(std::string_view name);

/// A call's arguments as a JSON object: as the model wrote them, byte for byte, when they are one;
/// otherwise `{"INVALID_JSON": "…"}` with their beginning.
std::string shown_arguments(std::string_view arguments);

/// Whether it is empty, or spaces and line ends alone: APIs take no such text.
bool is_blank(std::string_view text);

/// Whether the part is thinking, which must be followed by what was thought about.
bool is_thinking(const Part& part);

/// Whether there is anything in the message to send back.
bool says_something(const Message& message);

}  // namespace toolway::tools::messages
