#pragma once

#include <optional>

#include "base/result.h"
#include "cli/talk/stop_key.h"
#include "cli/talk/verbs.h"

namespace toolway::cli::talk {

/// The same as `talk`, on the server's side: a chat process answers, and keeps the conversation.
/// Nothing: the gateway has no chat process. Otherwise the exit status.
std::optional<int> talk_to_server(const client::ClientContext& context, const TalkOptions& options,
                                  StopKey& stop_key);

/// Says that the gateway has none. The exit status.
int no_chat_process(const client::ClientContext& context);

/// What the options that were given ask of the server's side: `options` of a message. Errors:
/// kInvalidRequest, for those that mean nothing there. Pure.
Result<OrderedJson> options_for_server(const TalkOptions& options);

/// What a part of a turn's progress shows. Pure.
struct ShownPart {
  std::string text{};    ///< of the reply
  std::string status{};  ///< a line for people
  bool ends_message = false;
};
ShownPart shown_part(const OrderedJson& part);

}  // namespace toolway::cli::talk
