#include "gateway/endpoints/turn_start.h"

#include <fmt/format.h>

#include "base/reserved_names.h"
#include "base/try.h"
#include "gateway/auth/on_behalf.h"
#include "gateway/calls/call_json.h"
#include "gateway/calls/call_keys.h"
#include "gateway/calls/read_calls.h"
#include "gateway/loop/give_way.h"
#include "tools/builtin/turn_spec.h"

namespace toolway::gateway::endpoints {

using persistence::conversations::ConversationHead;
using persistence::conversations::kMaxWaitingTurns;

/// A process that has just started is heard from within two seconds.
loop::Task<wire::HttpResult<void>> check_chat_runs(const MessagesContext& context) {
  constexpr std::chrono::milliseconds kWait{2500};
  constexpr std::chrono::milliseconds kInterval{50};
  const auto& facts = context.queues.facts();
  const bool has_queue = facts.pools.empty() || facts.pools.contains(kChatPool);
  const auto deadline = context.clock.monotonic() + kWait;
  for (;;) {
    if (!context.workers.list(kChatPool).empty()) co_return wire::HttpResult<void>();
    if (!has_queue || context.clock.monotonic() > deadline) break;
    co_await loop::pause(kInterval);
  }
  co_return wire::refuse(ErrorCode::kPoolUnavailable,
                         "no chat process runs, and nothing else answers messages: start `toolway "
                         "chat`, or `toolway dev --chat`");
}

wire::HttpResult<void> check_room(const ConversationHead& head, WhenBusy when_busy) {
  if (when_busy == WhenBusy::kRefuse && !head.turn.empty())
    return wire::refuse(ErrorCode::kConversationBusy,
                        fmt::format("turn {} of this conversation is running", head.turn));
  if (when_busy == WhenBusy::kRefuse && head.waiting > 0)
    return wire::refuse(ErrorCode::kConversationBusy, "a turn of this conversation is waiting");
  if (head.waiting >= kMaxWaitingTurns)
    return wire::refuse(ErrorCode::kConversationBusy,
                        fmt::format("{} messages wait for this conversation already, and no more "
                                    "may: send this one when some have been answered",
                                    head.waiting));
  return {};
}

loop::Task<wire::HttpResult<std::optional<ConversationHead>>> current_conversation(
    const MessagesContext& context, SessionKey session) {
  auto read = [session](persistence::store::StoreReader& store) {
    return store.conversation(session, "");
  };
  CO_ASSIGN_OR_RETURN(auto found,
                      co_await context.store.run<std::optional<ConversationHead>>(std::move(read)));
  co_return found;
}

loop::Task<wire::HttpResult<void>> check_room(const MessagesContext& context,
                                              const SessionKey& session, WhenBusy when_busy) {
  const auto head = co_await current_conversation(context, session);
  // While Postgres is away turns wait, and calls are accepted.
  if (!head || !*head) co_return wire::HttpResult<void>();
  co_return check_room(**head, when_busy);
}

wire::HttpResult<tools::exports::Format> parse_conversation_format(const wire::Target& target) {
  using tools::exports::Format;
  const auto format = tools::exports::parse_format(target.query("format").value_or("toolway"));
  if (format && *format != Format::kMcp) return *format;
  return wire::refuse(wire::invalid_parameter(
      "format", "enum", "expected toolway, openai, openai-responses or anthropic"));
}

calls::CallBody turn_body(Json arguments) {
  calls::CallBody body{.tool = tools::builtin::turn_tool()->spec().qualified_name(),
                       .arguments_text = to_text(arguments)};
  if (!calls::are_heavy_values(body.arguments_text)) body.arguments = std::move(arguments);
  return body;
}

loop::Task<wire::HttpResult<calls::PlannedCall>> plan_turn(const MessagesContext& context,
                                                           const wire::RoutedRequest& routed,
                                                           const sessions::Session& session,
                                                           calls::CallBody body) {
  CO_ASSIGN_OR_RETURN(
      auto planned, co_await calls::plan_known_tool(context.plan, routed, session,
                                                    tools::builtin::turn_tool(), std::move(body)));
  auto& request = planned.request;
  // Of a turn that completions begin, too: no turn has called it.
  request.clear_parent_call_id();
  const auto expires =
      context.clock.wall() + std::chrono::milliseconds(request.limits().total_ms());
  request.set_on_behalf(
      auth::seal_turn(context.seal_keys,
                      {.caller = routed.caller,
                       .acting = {.session_id = request.session_id(), .turn = request.call_id()}},
                      expires));
  co_return planned;
}

loop::Task<wire::HttpResult<void>> plan_keyed_turn(const MessagesContext& context,
                                                   const wire::RoutedRequest& routed,
                                                   const sessions::Session& session, KeyedTurn turn,
                                                   std::vector<calls::CallEntry>& entries) {
  calls::CallEntry& entry = entries.front();
  CO_RETURN_IF_ERROR(co_await calls::look_up_keys(context.run.keys, routed, session.key,
                                                  std::move(turn.payload_sha256), entries));
  if (entry.refused) co_return wire::refuse(std::move(*entry.refused));
  if (!entry.settled()) {
    if (turn.room_if_busy)
      CO_RETURN_IF_ERROR(co_await check_room(context, session.key, *turn.room_if_busy));
    auto planned = co_await plan_turn(context, routed, session, std::move(turn.call));
    entry.plan = std::move(planned);
  }
  if (!entry.plan) co_return wire::refuse(std::move(entry.plan.error()));
  co_return wire::HttpResult<void>();
}

loop::Task<wire::HttpResult<void>> start_turn(const MessagesContext& context,
                                              const wire::RoutedRequest& routed,
                                              calls::CallEntry& entry,
                                              std::optional<std::chrono::seconds> wait) {
  const auto begun = context.clock.monotonic();
  loop::Timer wake(co_await asio::this_coro::executor);
  calls::WaitRoom room;
  entry.waits = wait.has_value();
  co_await calls::run_call(context.run, entry, wake, room);
  if (entry.refused) co_return wire::refuse(std::move(*entry.refused));
  entry.waits = entry.wait != nullptr;
  if (!entry.wait) co_return wire::HttpResult<void>();
  std::vector<calls::CallWait*> waits{entry.wait.get()};
  co_await calls::wait_for(context.run.waits, waits, wake, begun + *wait, *routed.request.watch);
  // It would wake who waits here, and its caller may do more.
  if (!entry.completed()) entry.wait.reset();
  co_return wire::HttpResult<void>();
}

loop::Task<wire::HttpResult<wire::Response>> answer_turn(const MessagesContext& context,
                                                         const wire::RoutedRequest& routed,
                                                         std::vector<calls::CallEntry>& entries,
                                                         std::optional<std::chrono::seconds> wait) {
  calls::CallEntry& entry = entries.front();
  CO_RETURN_IF_ERROR(co_await start_turn(context, routed, entry, wait));
  wire::Response response{.status = 202, .headers = calls::replay_header(entries)};
  if (entry.waits)
    response.headers += fmt::format("preference-applied: wait={}\r\n", wait->count());
  const v1::CallRequest& request = entry.plan->request;
  if (!entry.completed()) {
    response.body = calls::accepted_json(request);
    co_return response;
  }
  response.status = 200;
  auto call = calls::call_of(request);
  calls::apply_event(call, *entry.wait->completion());
  response.body = calls::call_json(call, calls::CallForm::kWaited);
  co_return response;
}

loop::Task<wire::HttpResult<std::unique_ptr<live::Feed>>> events_of_turn(
    const MessagesContext& context, const v1::CallRequest& request) {
  const auto key = SessionKey::parse(request.session_key());
  const auto id = CallId::parse(request.call_id());
  if (!key || !id) co_return wire::refuse(ErrorCode::kInternal, "a call without a session");
  live::EventScope scope{.session = *key, .call = *id};
  auto feed = std::make_unique<live::Feed>(context.feeds, std::move(scope), wire::EventId{}, false);
  auto begun = co_await feed->begin();
  if (begun) co_return std::move(feed);
  auto& problem = begun.error();
  problem.call_id = request.call_id();
  problem.error.message = fmt::format(
      "call {} was accepted and runs, but its events cannot be followed now: {}; GET /v1/calls/{} "
      "shows how it ends",
      request.call_id(), problem.error.message, request.call_id());
  co_return wire::refuse(std::move(problem));
}

}  // namespace toolway::gateway::endpoints
