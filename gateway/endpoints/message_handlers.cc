#include "gateway/endpoints/message_handlers.h"

#include <fmt/format.h>

#include <limits>

#include "base/ids.h"
#include "base/text.h"
#include "base/try.h"
#include "gateway/calls/call_json.h"
#include "gateway/calls/read_calls.h"
#include "gateway/endpoints/turn_start.h"
#include "gateway/wire/json_text.h"
#include "gateway/wire/media_type.h"
#include "gateway/wire/prefer.h"
#include "tools/builtin/turn_spec.h"
#include "tools/messages/export.h"
#include "tools/messages/message_json.h"

namespace toolway::gateway::endpoints {
namespace {

namespace turn = tools::builtin::turn;
using persistence::conversations::ConversationHead;
using persistence::conversations::MessagePage;
using persistence::conversations::StoredMessage;

constexpr std::size_t kMaxContentBytes = 256UL * 1024;
/// Of a conversation that is exported as a whole.
constexpr std::size_t kMaxExportBytes = 32UL * 1024 * 1024;
constexpr std::size_t kExportStep = 500;
/// Of a message, as Postgres counts.
constexpr std::uint64_t kMaxNumber = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kUuidLength = 36;

/// The turn that a message begins.
struct NewTurn {
  calls::CallBody call;
  WhenBusy when_busy = WhenBusy::kWait;
};

void forget_values(NewTurn& turn) { calls::forget_values(turn.call); }

wire::HttpResult<NewTurn> parse_message(wire::ParsedBody body, bool acting) {
  RETURN_IF_ERROR(wire::expect_object(body.json));
  Mistakes mistakes;
  wire::BodyReader reader(body.json, mistakes);
  Json arguments{{turn::kStep, turn::kSend}};
  NewTurn begun;
  if (acting) {
    // A turn begins no turns, but those that say how its calls have ended.
    reader.only({"continue"});
    bool goes_on = false;
    reader.flag("continue", goes_on);
    if (!goes_on) reader.wrong("continue", "expected true", "const");
    arguments[turn::kStep] = turn::kContinue;
  } else {
    reader.only({"content", "options", "on_busy"});
    const auto* content = reader.text("content");
    if (content == nullptr && !body.json.contains("content"))
      reader.wrong("content", "it is missing", "required");
    if (content != nullptr && (content->empty() || content->size() > kMaxContentBytes))
      reader.wrong("content", fmt::format("expected 1 to {} bytes", kMaxContentBytes), "maxLength");
    if (content != nullptr) arguments[turn::kContent] = *content;
    if (const auto* options = reader.map("options")) arguments[turn::kOptions] = *options;
    if (const auto busy = reader.choice("on_busy", {"wait", "refuse", "interrupt"});
        !busy.empty()) {
      arguments[turn::kOnBusy] = busy;
      begun.when_busy = busy == "refuse" ? WhenBusy::kRefuse : WhenBusy::kWait;
    }
  }
  if (mistakes.count() > 0) return wire::refuse(wire::invalid_request(std::move(mistakes).take()));
  begun.call = turn_body(std::move(arguments));
  return begun;
}

/// What a new conversation begins with. The body may be empty.
wire::HttpResult<NewTurn> parse_new(wire::ParsedBody body) {
  RETURN_IF_ERROR(wire::expect_object(body.json));
  Mistakes mistakes;
  wire::BodyReader reader(body.json, mistakes);
  reader.only({"options"});
  Json arguments{{turn::kStep, turn::kNew}};
  if (const auto* options = reader.map("options")) arguments[turn::kOptions] = *options;
  if (mistakes.count() > 0) return wire::refuse(wire::invalid_request(std::move(mistakes).take()));
  return NewTurn{.call = turn_body(std::move(arguments))};
}

loop::Task<wire::HttpResult<wire::Response>> follow_turn(const MessagesContext& context,
                                                         const v1::CallRequest& request) {
  CO_ASSIGN_OR_RETURN(auto feed, co_await events_of_turn(context, request));
  wire::Response response{
      .content_type = "text/event-stream",
      .headers = "cache-control: no-store\r\nx-toolway-call: " + request.call_id() + "\r\n"};
  response.events = std::move(feed);
  co_return response;
}

loop::Task<wire::HttpResult<wire::Response>> begin_turn(const MessagesContext& context,
                                                        const wire::RoutedRequest& routed,
                                                        std::vector<calls::CallEntry>& entries) {
  const bool follow = wire::names_type(routed.request.accept, "text/event-stream");
  const auto wait = follow ? std::nullopt : wire::preferred_wait(routed.request.prefer);
  CO_ASSIGN_OR_RETURN(auto response, co_await answer_turn(context, routed, entries, wait));
  if (!follow) co_return response;
  co_return co_await follow_turn(context, entries.front().plan->request);
}

/// The conversation that a request is about; nothing: the session has none yet.
loop::Task<wire::HttpResult<std::optional<ConversationHead>>> find_conversation(
    const MessagesContext& context, const wire::RoutedRequest& routed) {
  CO_ASSIGN_OR_RETURN(auto session, co_await context.sessions.find(routed.caller, routed.id));
  std::string id(routed.target.query("conversation").value_or(""));
  const bool named = !id.empty();
  if (named && (id.size() != kUuidLength || !valid_name(id)))
    co_return wire::refuse(ErrorCode::kNotFound, "this session has no conversation with this id");
  auto read = [key = session->key, id = std::move(id)](persistence::store::StoreReader& store) {
    return store.conversation(key, id);
  };
  CO_ASSIGN_OR_RETURN(auto found,
                      co_await context.store.run<std::optional<ConversationHead>>(std::move(read)));
  if (!found && named)
    co_return wire::refuse(ErrorCode::kNotFound, "this session has no conversation with this id");
  co_return found;
}

loop::Task<wire::HttpResult<MessagePage>> read_messages(const MessagesContext& context,
                                                        std::string conversation,
                                                        std::uint64_t after, std::size_t limit) {
  auto read = [conversation = std::move(conversation), after,
               limit](persistence::store::StoreReader& store) {
    return store.messages(conversation, after, limit);
  };
  CO_ASSIGN_OR_RETURN(auto page, co_await context.store.run<MessagePage>(std::move(read)));
  co_return page;
}

void write_message(std::string& out, const StoredMessage& message) {
  wire::ObjectText object(out);
  object.number("number", message.number);
  object.text("turn", message.turn);
  object.members(message.body);
  object.end();
}

wire::HttpResult<std::uint64_t> parse_after(const wire::Target& target) {
  std::uint64_t after = 0;
  const auto text = target.query("after");
  if (text && (!parse_number(*text, after) || after > kMaxNumber))
    return wire::refuse(ErrorCode::kInvalidCursor, "?after= takes the number of a message");
  return after;
}

Result<tools::messages::History> history_of(const std::vector<StoredMessage>& messages) {
  constexpr std::size_t kMaxDepth = 1000;
  tools::messages::History history;
  for (const auto& stored : messages) {
    ASSIGN_OR_RETURN(const auto json, parse_ordered_json(stored.body, kMaxDepth));
    Mistakes mistakes;
    RETURN_IF_ERROR(history.append(tools::messages::read_message(json, mistakes, "")));
  }
  return history;
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> post_message(const MessagesContext& context,
                                                          const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_ASSIGN_OR_RETURN(auto session, co_await context.sessions.find_open(routed.caller, routed.id));
  const auto parse = [acting = routed.acting != nullptr](wire::ParsedBody body) {
    return parse_message(std::move(body), acting);
  };
  CO_ASSIGN_OR_RETURN(auto read,
                      co_await calls::read_calls<NewTurn>(context.plan.threads, routed, parse));
  CO_RETURN_IF_ERROR(co_await check_chat_runs(context));
  std::vector<calls::CallEntry> entries(1);
  KeyedTurn turn{.call = std::move(read.calls.call),
                 .payload_sha256 = std::move(read.payload_sha256),
                 .room_if_busy = read.calls.when_busy};
  CO_RETURN_IF_ERROR(co_await plan_keyed_turn(context, routed, *session, std::move(turn), entries));
  co_return co_await begin_turn(context, routed, entries);
}

loop::Task<wire::HttpResult<wire::Response>> new_conversation(const MessagesContext& context,
                                                              const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_ASSIGN_OR_RETURN(auto session, co_await context.sessions.find_open(routed.caller, routed.id));
  CO_RETURN_IF_ERROR(co_await check_chat_runs(context));
  CO_RETURN_IF_ERROR(co_await check_room(context, session->key, WhenBusy::kWait));
  NewTurn asked{.call = turn_body({{turn::kStep, turn::kNew}})};
  if (!routed.request.body.empty()) {
    // A lambda: g++ 14 crashes on a coroutine that is given the function itself.
    const auto parse = [](wire::ParsedBody body) { return parse_new(std::move(body)); };
    CO_ASSIGN_OR_RETURN(auto read,
                        co_await calls::read_calls<NewTurn>(context.plan.threads, routed, parse));
    asked = std::move(read.calls);
  }
  std::vector<calls::CallEntry> entries(1);
  auto plan = co_await plan_turn(context, routed, *session, std::move(asked.call));
  entries.front().plan = std::move(plan);
  if (!entries.front().plan) co_return wire::refuse(std::move(entries.front().plan.error()));
  constexpr std::chrono::seconds kUsualWait{10};
  const auto wait = wire::preferred_wait(routed.request.prefer).value_or(kUsualWait);
  co_return co_await answer_turn(context, routed, entries, wait);
}

loop::Task<wire::HttpResult<wire::Response>> list_messages(const MessagesContext& context,
                                                           const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({"conversation", "after", "limit"}));
  CO_ASSIGN_OR_RETURN(const auto limit, wire::parse_limit(routed.target, 100, 1000));
  CO_ASSIGN_OR_RETURN(const auto after, parse_after(routed.target));
  CO_ASSIGN_OR_RETURN(auto memory,
                      context.memory.take(wire::MemoryUse::kAnswer, wire::kPageMemory));
  CO_ASSIGN_OR_RETURN(const auto found, co_await find_conversation(context, routed));
  MessagePage page;
  if (found) {
    CO_ASSIGN_OR_RETURN(page, co_await read_messages(context, found->id, after, limit));
  }
  wire::Response response{.memory = std::move(memory)};
  wire::ObjectText object(response.body);
  object.text_or_null("conversation", found ? found->id : "");
  object.text_or_null("turn", found ? found->turn : "");
  object.begin("messages");
  wire::ListText list(response.body);
  for (const auto& message : page.messages) {
    list.next();
    write_message(response.body, message);
  }
  list.end();
  object.number("next", page.messages.empty() ? after : page.messages.back().number);
  object.boolean("more", page.more);
  object.end();
  co_return response;
}

loop::Task<wire::HttpResult<wire::Response>> export_messages(const MessagesContext& context,
                                                             const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({"conversation", "format"}));
  CO_ASSIGN_OR_RETURN(const auto format, parse_conversation_format(routed.target));
  CO_ASSIGN_OR_RETURN(const auto found, co_await find_conversation(context, routed));
  if (!found) co_return wire::refuse(ErrorCode::kNotFound, "this session has no conversation yet");
  CO_ASSIGN_OR_RETURN(auto memory, context.memory.take(wire::MemoryUse::kAnswer, 0));
  std::vector<StoredMessage> messages;
  std::size_t bytes = 0;
  for (bool more = true; more;) {
    const auto last = messages.empty() ? 0 : messages.back().number;
    CO_ASSIGN_OR_RETURN(auto page, co_await read_messages(context, found->id, last, kExportStep));
    more = page.more;
    for (auto& message : page.messages) {
      bytes += message.body.size();
      messages.push_back(std::move(message));
    }
    if (bytes > kMaxExportBytes)
      co_return wire::refuse(ErrorCode::kPayloadTooLarge,
                             "the conversation is too large for one answer: read its messages");
    memory.resize(bytes * 4);
  }
  auto work = [messages = std::move(messages), format]() -> Result<std::string> {
    ASSIGN_OR_RETURN(auto history, history_of(messages));
    return tools::messages::export_conversation(std::move(history), format,
                                                tools::exports::format_name(format));
  };
  CO_ASSIGN_OR_RETURN(auto text, co_await context.work.run<std::string>(std::move(work)));
  co_return wire::Response{.body = std::move(text), .memory = std::move(memory)};
}

}  // namespace toolway::gateway::endpoints
