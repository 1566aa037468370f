#pragma once

#include "tools/model/registry.h"
#include "tools/model/spec.h"

namespace toolway::tools::builtin {

/// The tool whose calls are turns of the chat engine: gateways publish them, chat processes run
/// them, and no list shows it. The same in all processes of one version.
model::Spec turn_spec();
/// The same for who publishes such calls, and runs none.
const model::RegisteredToolPtr& turn_tool();

/// Members of its arguments.
namespace turn {
inline constexpr std::string_view kContent = "content";    ///< the user's message
inline constexpr std::string_view kStep = "step";          ///< what to do: one of those below
inline constexpr std::string_view kOptions = "options";    ///< of this turn
inline constexpr std::string_view kOnBusy = "on_busy";     ///< wait, refuse or interrupt
inline constexpr std::string_view kMessages = "messages";  ///< a whole history, which is not kept

inline constexpr std::string_view kRepairs = "repairs";  ///< what made an import valid
/// Of an import that continues one: the conversation, and how many messages it has.
inline constexpr std::string_view kConversation = "conversation";
inline constexpr std::string_view kAfter = "after";
inline constexpr std::string_view kSend = "send";  ///< answer the user's message
inline constexpr std::string_view kContinue =
    "continue";                                  ///< tell the model which calls have ended
inline constexpr std::string_view kNew = "new";  ///< begin an empty conversation
inline constexpr std::string_view kImport =
    "import";  ///< begin one that has the messages, or continue it

/// Whether a turn with these arguments has no conversation: it waits for none, and none is stored.
/// Pure.
bool stands_alone(const Json& arguments);
}  // namespace turn

}  // namespace toolway::tools::builtin
