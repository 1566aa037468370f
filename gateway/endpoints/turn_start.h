#pragma once

#include "gateway/endpoints/messages_context.h"
#include "tools/exports/format.h"

/// How a turn of the chat engine begins, for messages and for the APIs of models.
namespace toolway::gateway::endpoints {

/// Errors: pool_unavailable (no chat process runs).
loop::Task<wire::HttpResult<void>> check_chat_runs(const MessagesContext& context);

/// What becomes of a message that finds a turn of its conversation.
enum class WhenBusy : std::uint8_t { kWait, kRefuse };

/// Whether another turn may begin where `head` is. Pure. Errors: conversation_busy (a turn runs or
/// waits, and the message does not wait; or 16 wait already).
wire::HttpResult<void> check_room(const persistence::conversations::ConversationHead& head,
                                  WhenBusy when_busy);
/// The session's current conversation; nothing: it has none yet. Errors: the store's.
loop::Task<wire::HttpResult<std::optional<persistence::conversations::ConversationHead>>>
current_conversation(const MessagesContext& context, SessionKey session);
/// The same as far as Postgres tells now; what it cannot tell, the turn finds out itself.
loop::Task<wire::HttpResult<void>> check_room(const MessagesContext& context,
                                              const SessionKey& session, WhenBusy when_busy);

/// `?format=` of a conversation. Errors: invalid_request.
wire::HttpResult<tools::exports::Format> parse_conversation_format(const wire::Target& target);

/// A call of the turn's tool. On any thread. Of heavy arguments (`are_heavy_values`) it has the
/// text only.
calls::CallBody turn_body(Json arguments);

/// The call, with the sealed token of its user.
loop::Task<wire::HttpResult<calls::PlannedCall>> plan_turn(const MessagesContext& context,
                                                           const wire::RoutedRequest& routed,
                                                           const sessions::Session& session,
                                                           calls::CallBody body);

/// A turn that is planned once for an Idempotency-Key.
struct KeyedTurn {
  calls::CallBody call;
  std::string payload_sha256{};            ///< of a request with a key
  std::optional<WhenBusy> room_if_busy{};  ///< whether a new one needs room in its conversation
};
/// Plans it into the one entry, or finds the turn that an earlier request with the key has begun.
/// Errors: also what the key has decided, and check_room's.
loop::Task<wire::HttpResult<void>> plan_keyed_turn(const MessagesContext& context,
                                                   const wire::RoutedRequest& routed,
                                                   const sessions::Session& session, KeyedTurn turn,
                                                   std::vector<calls::CallEntry>& entries);

/// Publishes a turn that was planned, and waits for its end, if it is to: `entry.waits` says
/// whether it has, and `entry.wait` is there only of one that has completed.
loop::Task<wire::HttpResult<void>> start_turn(const MessagesContext& context,
                                              const wire::RoutedRequest& routed,
                                              calls::CallEntry& entry,
                                              std::optional<std::chrono::seconds> wait);

/// Publishes a turn that was planned: 202, or 200 with its completion where the request waits.
loop::Task<wire::HttpResult<wire::Response>> answer_turn(const MessagesContext& context,
                                                         const wire::RoutedRequest& routed,
                                                         std::vector<calls::CallEntry>& entries,
                                                         std::optional<std::chrono::seconds> wait);

/// The events of a turn that was accepted, from its first one. Errors: Feed's, which name the call.
loop::Task<wire::HttpResult<std::unique_ptr<live::Feed>>> events_of_turn(
    const MessagesContext& context, const v1::CallRequest& request);

}  // namespace toolway::gateway::endpoints
