#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mistake.h"
#include "tools/messages/message.h"

/// What a scripted model says. Pure.
namespace toolway::chat::providers {

struct ScriptReply {
  std::string text{};  ///< with `{{result/…}}`
  std::vector<tools::messages::Call> calls{};
  tools::messages::Finish finish = tools::messages::Finish::kStop;
  std::optional<unsigned> inline_ms{};  ///< how long its calls may take before they run on
  std::chrono::milliseconds delay{0};   ///< before it
  std::chrono::milliseconds pacing{0};  ///< between its words
};

/// The replies to one message of the user: the first to it, the second after the results, and so
/// on.
struct ScriptTurn {
  std::string when{};  ///< a text that the message has, in any case; empty: every message
  std::vector<ScriptReply> replies;
};

struct Script {
  std::vector<ScriptTurn> turns;
  std::vector<Mistake> mistakes;  ///< by line
};

/// Reads YAML or JSON (docs/chat.md). `origin` is what mistakes name. Never throws.
Script read_script(std::string_view text, std::string_view origin);

/// The reply that comes next, by the conversation alone; null: the script has none.
const ScriptReply* next_reply(const Script& script,
                              const std::vector<const tools::messages::Message*>& messages);

/// A reply's text with what the last results say: `{{result}}` is their text, and `{{result/a/0}}`
/// what a JSON Pointer finds in the first of them that is JSON; `*` is each element of a list, at
/// most ten. `{{event}}` is the last message that was injected. What is not there is `?`.
std::string filled(const std::string& text,
                   const std::vector<const tools::messages::Message*>& messages);

}  // namespace toolway::chat::providers
