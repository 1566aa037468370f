#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "chat/providers/provider.h"

/// What the readers of replies share. Pure.
namespace toolway::chat::providers {

/// More calls than this in one message are never answered (tools/exports/model_message.h).
inline constexpr std::size_t kMaxReplyCalls = 1000;

/// The data of an event as an object, whose texts may have halves of characters (surrogates.h).
/// Errors: kBadReply.
tl::expected<OrderedJson, ProviderError> event_object(std::string_view data);

/// A member of an object; null: it is not there, or null.
const OrderedJson* member(const OrderedJson& object, const char* name);
/// A count of tokens; 0: it is not there, or not one.
std::uint64_t count_member(const OrderedJson& object, std::initializer_list<const char*> names);

/// What an `error` object of a stream or body says: `type` and `message` in its own words.
ProviderError error_in(const OrderedJson& error);

/// The message of parts. Errors: kBadReply (more calls than are answered).
ReplyResult message_of(std::vector<tools::messages::Part> parts, tools::messages::Finish finish,
                       const OrderedJson& response);

/// A provider's own words, fit for one line: without control characters, not too long.
std::string in_one_line(std::string_view text);

/// The stream ended before the reply did.
ProviderError cut_off();

}  // namespace toolway::chat::providers
