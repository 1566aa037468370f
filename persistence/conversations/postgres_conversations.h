#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "persistence/conversations/conversation_store.h"

namespace toolway::persistence::conversations {

/// Turns that completions begin, until the user begins one.
inline constexpr int kMaxAutoTurns = 5;

/// How many messages at most are looked at for so much text.
std::size_t rows_for(std::size_t bytes);

/// The tables `conversations`, `messages` and those next to them. Keeps some connections, and makes
/// more while more threads ask. `url` is never logged.
std::unique_ptr<ConversationStore> make_postgres_conversations(std::string url);

}  // namespace toolway::persistence::conversations
