#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "tools/exports/format.h"
#include "tools/exports/model_message.h"
#include "tools/messages/history.h"

/// Messages as the APIs of models take them. Pure.
namespace toolway::tools::messages {

/// The members of a request that carry the messages: `messages` for Chat Completions, `input` for
/// Responses, `system` (where there is such a text) and `messages` for Messages. Every call has its
/// result in `selection`. `provider`: whose own forms are sent as they are.
OrderedJson request_messages(const Selection& selection, exports::ModelApi api,
                             std::string_view provider, Blocks blocks = Blocks::kShown);

/// A whole conversation, open calls answered as not known: `toolway` keeps everything, and read
/// again it is the same byte for byte; the others are what `request_messages` makes, with forms of
/// `provider` where it speaks that API. Errors: kInvalidRequest (`mcp`).
Result<std::string> export_conversation(History history, exports::Format format,
                                        std::string_view provider);

/// The format of an API's own.
tools::exports::Format format_of(exports::ModelApi api);
/// The API whose form `format` is; nothing: it is none of a model.
std::optional<exports::ModelApi> api_of(exports::Format format);

}  // namespace toolway::tools::messages
