#pragma once

#include <optional>

#include "cli/talk/stop_key.h"
#include "cli/talk/verbs.h"

namespace toolway::cli::talk {

/// The same as `talk`, on the server's side: a chat process answers, and keeps the conversation.
/// Nothing: the gateway has no chat process. Otherwise the exit status.
std::optional<int> talk_to_server(const client::ClientContext& context, const TalkOptions& options,
                                  StopKey& stop_key);

/// What a part of a turn's progress shows. Pure.
struct ShownPart {
  std::string text{};    ///< of the reply
  std::string status{};  ///< a line for people
};
ShownPart shown_part(const OrderedJson& part);

}  // namespace toolway::cli::talk
