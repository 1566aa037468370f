#pragma once

#include <string_view>

namespace toolway {

/// Whose tools are the gateways' own: no spec may name them.
inline constexpr std::string_view kTurnNamespace = "toolway";
inline constexpr std::string_view kTasksNamespace = "tasks";
/// Whose calls are turns of the chat engine.
inline constexpr std::string_view kChatPool = "chat";

}  // namespace toolway
