#pragma once

#include <string>
#include <string_view>

#include "tools/messages/message.h"

/// Providers quote what they were sent. Pure.
namespace toolway::chat::providers {

/// Words about a request, without what they quote of its messages: what has 8 bytes or more in
/// common with a text of those is `[…]`, in any case. Takes time in proportion to the messages.
std::string without_quotes(std::string_view words, const tools::messages::Selection& messages);

}  // namespace toolway::chat::providers
