#include "gateway/endpoints/import_handler.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "gateway/endpoints/turn_start.h"
#include "gateway/wire/prefer.h"
#include "tools/builtin/turn_spec.h"
#include "tools/messages/import.h"
#include "tools/messages/message_json.h"

namespace toolway::gateway::endpoints {
namespace {

namespace turn = tools::builtin::turn;
using tools::exports::Format;
using tools::messages::Mended;

wire::HttpResult<Mended> parse_repair(const wire::Target& target) {
  const auto repair = target.query("repair").value_or("false");
  if (repair == "true") return Mended::kRepair;
  if (repair == "false") return Mended::kOffer;
  return wire::refuse(wire::invalid_parameter("repair", "enum", "expected true or false"));
}

/// What is continued, as arguments of the turn; empty: nothing is.
wire::HttpResult<Json> parse_place(const wire::Target& target) {
  const auto conversation = target.query("conversation");
  const auto after = target.query("after");
  if (!conversation && !after) return Json::object();
  if (!conversation || !after)
    return wire::refuse(wire::invalid_parameter(
        conversation ? "after" : "conversation", "required",
        "it is missing: `conversation` and `after` say together which conversation is continued, "
        "and how many messages it has"));
  std::uint64_t number = 0;
  if (!parse_number(*after, number) || number == 0)
    return wire::refuse(
        wire::invalid_parameter("after", "range", "expected a number of 1 or more"));
  return Json{{turn::kConversation, *conversation}, {turn::kAfter, number}};
}

/// The turn that writes the messages.
Result<calls::CallBody> parse_conversation(std::string_view text, Format format, Mended mended,
                                           Json place) {
  ASSIGN_OR_RETURN(const auto imported,
                   tools::messages::import_conversation(text, format, mended,
                                                        tools::exports::format_name(format)));
  place.update({{turn::kStep, turn::kImport},
                {turn::kMessages, tools::messages::messages_json(imported.history.messages())},
                {turn::kRepairs, imported.repairs}});
  return turn_body(std::move(place));
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> import_conversation(
    const MessagesContext& context, const wire::RoutedRequest& routed) {
  constexpr std::chrono::seconds kUsualWait{30};
  constexpr std::size_t kMemoryPerByte = 8;  // of JSON that is parsed
  CO_RETURN_IF_ERROR(routed.target.only({"session", "format", "repair", "conversation", "after"}));
  CO_ASSIGN_OR_RETURN(const auto format, parse_conversation_format(routed.target));
  CO_ASSIGN_OR_RETURN(const auto mended, parse_repair(routed.target));
  CO_ASSIGN_OR_RETURN(const auto place, parse_place(routed.target));
  const auto session_id = routed.target.query("session");
  if (!session_id)
    co_return wire::refuse(wire::invalid_parameter("session", "required", "it is missing"));
  CO_ASSIGN_OR_RETURN(auto session,
                      co_await context.sessions.find_open(routed.caller, std::string(*session_id)));
  CO_RETURN_IF_ERROR(co_await check_chat_runs(context));
  CO_RETURN_IF_ERROR(co_await check_room(context, session->key, WhenBusy::kWait));
  CO_ASSIGN_OR_RETURN(
      auto memory,
      context.memory.take(wire::MemoryUse::kAnswer, routed.request.body.size() * kMemoryPerByte));
  auto parse = [text = std::string(routed.request.body), format, mended, place] {
    return parse_conversation(text, format, mended, place);
  };
  CO_ASSIGN_OR_RETURN(auto body, co_await context.work.run<calls::CallBody>(std::move(parse)));
  if (body.arguments_text.size() > context.max_arguments_bytes)
    co_return wire::refuse(
        ErrorCode::kPayloadTooLarge,
        fmt::format("the messages have {} bytes in Toolway's own form, and an import has at most "
                    "{}, since it is the argument of one call: import them in parts, the next one "
                    "with conversation and after",
                    body.arguments_text.size(), context.max_arguments_bytes));
  std::vector<calls::CallEntry> entries(1);
  auto plan = co_await plan_turn(context, routed, *session, std::move(body));
  if (!plan) co_return wire::refuse(std::move(plan.error()));
  entries.front().plan = std::move(plan);
  const auto wait = wire::preferred_wait(routed.request.prefer).value_or(kUsualWait);
  co_return co_await answer_turn(context, routed, entries, wait);
}

}  // namespace toolway::gateway::endpoints
