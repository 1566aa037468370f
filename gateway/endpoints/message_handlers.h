#pragma once

#include "gateway/endpoints/messages_context.h"

/// Conversations: messages become turns of the chat engine, which are calls.
namespace toolway::gateway::endpoints {

/// Begins a turn: 202 with its call, 200 with its completion (`Prefer: wait`), or its events
/// (`Accept: text/event-stream`). Errors: as of a call; pool_unavailable (no chat process runs).
loop::Task<wire::HttpResult<wire::Response>> post_message(const MessagesContext& context,
                                                          const wire::RoutedRequest& routed);
/// The messages of the current conversation, or of the one that `?conversation=` names.
loop::Task<wire::HttpResult<wire::Response>> list_messages(const MessagesContext& context,
                                                           const wire::RoutedRequest& routed);
/// Begins an empty conversation; the old one stays readable.
loop::Task<wire::HttpResult<wire::Response>> new_conversation(const MessagesContext& context,
                                                              const wire::RoutedRequest& routed);
/// A conversation as the APIs of models take it. Errors: payload_too_large.
loop::Task<wire::HttpResult<wire::Response>> export_messages(const MessagesContext& context,
                                                             const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
