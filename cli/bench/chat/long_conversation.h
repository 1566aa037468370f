#pragma once

#include "cli/bench/chat/chat_figures.h"
#include "persistence/conversations/conversation_store.h"

namespace toolway::cli::bench::chat {

/// Stores a conversation of that many messages, and opens and cuts it as a turn does, for the
/// window that `toolway chat` has by default. Errors: the store's.
Result<WindowFigures> measure_window(persistence::conversations::ConversationStore& store,
                                     std::size_t messages);

}  // namespace toolway::cli::bench::chat
