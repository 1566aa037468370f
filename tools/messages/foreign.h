#pragma once

#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/mistake.h"
#include "tools/exports/model_message.h"
#include "tools/messages/message.h"

/// Conversations in the forms of APIs. Pure.
namespace toolway::tools::messages {

/// The messages of a request's `messages` or `input`, or of the object that has them. What cannot
/// be read is in `mistakes`, and in `lost` are contents that the messages can do without; results
/// are where they were found, for `assemble` to pair.
std::vector<Message> read_foreign(const OrderedJson& document, exports::ModelApi api,
                                  std::string_view provider, Mistakes& mistakes, Mistakes& lost);

}  // namespace toolway::tools::messages
