#pragma once

#include <string_view>
#include <vector>

#include "base/json.h"
#include "tools/messages/message.h"

/// What models say, read from the forms of their APIs. Whatever is there, it is read as far as it
/// is understood; the rest is kept as the provider's own. Pure.
namespace toolway::tools::messages {

/// Of an assistant's message of Chat Completions.
std::vector<Part> parts_of_chat(const OrderedJson& message, std::string_view provider);

/// Of one item that a model of the Responses API made.
Part part_of_item(const OrderedJson& item, std::string_view provider);

/// Of the content of an assistant's message of the Messages API: blocks, or a text.
std::vector<Part> parts_of_blocks(const OrderedJson& content, std::string_view provider);

/// The texts of a content that is a text, or a list of parts; a part that is not text is named.
std::string text_of_content(const OrderedJson& content);

/// The member of an object as a text; empty: it is not there, or something else.
std::string text_member(const OrderedJson& object, const char* name);

}  // namespace toolway::tools::messages
