#pragma once

#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/mistake.h"
#include "chat/history/message.h"
#include "tools/exports/model_message.h"

/// Conversations in the forms of APIs. Pure.
namespace toolway::chat::history {

/// The messages of a request's `messages` or `input`, or of the object that has them. What cannot
/// be read is in `mistakes`; results are where they were found, for `assemble` to pair.
std::vector<Message> read_foreign(const OrderedJson& document, tools::exports::ModelApi api,
                                  std::string_view provider, Mistakes& mistakes);

}  // namespace toolway::chat::history
