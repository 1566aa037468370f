#include "tools/messages/export.h"

#include <algorithm>

#include "base/ordered_object.h"
#include "tools/messages/foreign_parts.h"
#include "tools/messages/message_json.h"
#include "tools/messages/request_blocks.h"
#include "tools/messages/shown.h"

namespace toolway::tools::messages {
namespace {

using exports::ModelApi;
using Shown = std::vector<const Block*>;

/// Whether a part has a form of the provider's own. It may come from an import, so what would be
/// taken for a call, a result or another's message is not one.
bool is_own(const Part& part, std::string_view provider) {
  if (provider.empty() || !part.native || part.native->provider != provider ||
      !part.native->value.is_object())
    return false;
  const auto type = text_member(part.native->value, "type");
  const auto role = text_member(part.native->value, "role");
  if (part.kind == Part::Kind::kText)
    return type == "text" || (type == "message" && (role.empty() || role == "assistant"));
  if (part.kind == Part::Kind::kCall) return true;  // its members are written over
  return role.empty() && type != "text" && type != "message" && type != "tool_use" &&
         type != "tool_result" && type != "function_call" && type != "function_call_output";
}

/// The parts of an assistant's message that this provider may be sent; Messages takes no blank
/// texts.
/// Each has a type.
std::vector<const Part*> sent_parts(const Message& message, std::string_view provider) {
  std::vector<const Part*> parts;
  for (const Part& part : message.parts) {
    const bool blank = part.kind == Part::Kind::kText && is_blank(part.text);
    const bool others =
        part.kind == Part::Kind::kOpaque &&
        (!is_own(part, provider) || text_member(part.native->value, "type").empty());
    if (!blank && !others) parts.push_back(&part);
  }
  // Thinking at the end is of what was cut off.
  while (!parts.empty() && is_thinking(*parts.back())) parts.pop_back();
  return parts;
}

/// `{"role": …, "content": …}`, with room for what calls add.
OrderedJson said_by(const char* role, OrderedJson content) {
  auto made = ordered_object(4);
  made["role"] = role;
  made["content"] = std::move(content);
  return made;
}

// Chat Completions.

OrderedJson chat_call(const Part& part, bool own) {
  OrderedJson call = own ? part.native->value : OrderedJson::object();
  call["id"] = part.call.id;
  call["type"] = "function";
  call["function"] = {{"name", shown_tool_name(part.call.tool)},
                      {"arguments", shown_arguments(part.call.arguments)}};
  return call;
}

OrderedJson chat_assistant(const Message& message, std::string_view provider) {
  auto made = said_by("assistant", nullptr);
  for (const Part& part : message.parts) {
    // The members of its message that only this provider knows. What has a type is no such thing.
    const bool own = part.kind == Part::Kind::kOpaque && is_own(part, provider);
    if (own && !part.native->value.contains("type")) made.update(part.native->value);
  }
  const auto text = text_of(message);
  const bool calls = has_calls(message);
  made["content"] = calls && text.empty() ? OrderedJson() : OrderedJson(text);
  for (const auto* name : {"tool_calls", "refusal", "function_call", "tool_call_id"})
    made.erase(name);
  if (!calls) return made;
  made["tool_calls"] = OrderedJson::array();
  for (const Part& part : message.parts)
    if (part.kind == Part::Kind::kCall)
      made["tool_calls"].push_back(chat_call(part, is_own(part, provider)));
  return made;
}

void add_chat(OrderedJson& to, const Message& message, std::string_view provider,
              const Shown& shown) {
  switch (message.role) {
    case Role::kSummary: break;  // its originals are sent
    case Role::kSystem: to.push_back(said_by("system", message.text)); break;
    case Role::kUser:
    case Role::kInjected:
      to.push_back(said_by("user", user_content(message, ModelApi::kOpenAi, shown)));
      break;
    case Role::kAssistant:
      if (says_something(message)) to.push_back(chat_assistant(message, provider));
      break;
    case Role::kResults:
      for (const CallResult& result : message.results) {
        auto made = ordered_object(3);
        made["role"] = "tool";
        made["tool_call_id"] = result.call_id;
        made["content"] = result_content(result, ModelApi::kOpenAi, shown);
        to.push_back(std::move(made));
      }
      break;
  }
}

// Responses.

OrderedJson response_item(const Part& part, std::string_view provider) {
  if (part.kind == Part::Kind::kText)
    return is_own(part, provider) ? part.native->value : said_by("assistant", part.text);
  if (part.kind == Part::Kind::kOpaque) return part.native->value;
  OrderedJson item = is_own(part, provider) ? part.native->value : OrderedJson::object();
  item["type"] = "function_call";
  item["call_id"] = part.call.id;
  item["name"] = shown_tool_name(part.call.tool);
  item["arguments"] = shown_arguments(part.call.arguments);
  return item;
}

void add_responses(OrderedJson& to, const Message& message, std::string_view provider,
                   const Shown& shown) {
  switch (message.role) {
    case Role::kSummary: break;  // its originals are sent
    case Role::kSystem: to.push_back(said_by("system", message.text)); break;
    case Role::kUser:
    case Role::kInjected:
      to.push_back(said_by("user", user_content(message, ModelApi::kOpenAiResponses, shown)));
      break;
    case Role::kAssistant:
      if (!says_something(message)) break;
      for (const Part* part : sent_parts(message, provider))
        to.push_back(response_item(*part, provider));
      break;
    case Role::kResults:
      for (const CallResult& result : message.results)
        to.push_back({{"type", "function_call_output"},
                      {"call_id", result.call_id},
                      {"output", result_content(result, ModelApi::kOpenAiResponses, shown)}});
      break;
  }
}

// Messages.

OrderedJson anthropic_block(const Part& part, std::string_view provider) {
  if (part.kind == Part::Kind::kText)
    return is_own(part, provider) ? part.native->value
                                  : OrderedJson{{"type", "text"}, {"text", part.text}};
  if (part.kind == Part::Kind::kOpaque) return part.native->value;
  OrderedJson block = is_own(part, provider) ? part.native->value : OrderedJson::object();
  block["type"] = "tool_use";
  block["id"] = part.call.id;
  block["name"] = shown_tool_name(part.call.tool);
  auto input = parse_ordered_json(shown_arguments(part.call.arguments));
  block["input"] = input ? std::move(*input) : OrderedJson::object();
  return block;
}

OrderedJson anthropic_results(const Message& message, const Shown& shown) {
  OrderedJson blocks = OrderedJson::array();
  for (const CallResult& result : message.results) {
    OrderedJson block = {{"type", "tool_result"},
                         {"tool_use_id", result.call_id},
                         {"content", result_content(result, ModelApi::kAnthropic, shown)}};
    if (result.is_error) block["is_error"] = true;
    blocks.push_back(std::move(block));
  }
  return said_by("user", std::move(blocks));
}

void add_anthropic(OrderedJson& to, const Message& message, std::string_view provider,
                   const Shown& shown) {
  // Its first message is the user's, and it takes no empty ones.
  const auto user = [&to](OrderedJson content) {
    const bool blank = content.is_string() && is_blank(content.get_ref<const std::string&>());
    to.push_back(said_by("user", blank ? OrderedJson("(empty message)") : std::move(content)));
  };
  switch (message.role) {
    case Role::kSummary:
    case Role::kSystem: break;  // the originals are sent; a member of the request
    case Role::kUser:
    case Role::kInjected: user(user_content(message, ModelApi::kAnthropic, shown)); break;
    case Role::kAssistant: {
      if (!says_something(message)) break;
      if (to.empty()) user("(The conversation begins before this message.)");
      OrderedJson blocks = OrderedJson::array();
      for (const Part* part : sent_parts(message, provider))
        blocks.push_back(anthropic_block(*part, provider));
      if (!blocks.empty()) to.push_back(said_by("assistant", std::move(blocks)));
      break;
    }
    case Role::kResults: to.push_back(anthropic_results(message, shown)); break;
  }
}

std::string system_text(const Selection& selection) {
  std::string text;
  for (const Message* message : selection) {
    if (message->role != Role::kSystem || message->text.empty()) continue;
    if (!text.empty()) text += "\n\n";
    text += message->text;
  }
  return text;
}

}  // namespace

OrderedJson request_messages(const Selection& selection, ModelApi api, std::string_view provider,
                             Blocks blocks) {
  const auto shown = blocks != Blocks::kAsText ? request_blocks(selection, api) : Shown();
  OrderedJson list = OrderedJson::array();
  auto members = ordered_object(2);
  const auto add_all = [&](auto add) {
    for (const Message* message : selection) add(list, *message, provider, shown);
  };
  switch (api) {
    case ModelApi::kOpenAi: add_all(add_chat); break;
    case ModelApi::kOpenAiResponses: add_all(add_responses); break;
    case ModelApi::kAnthropic:
      if (auto text = system_text(selection); !text.empty()) members["system"] = std::move(text);
      add_all(add_anthropic);
      break;
  }
  members[api == ModelApi::kOpenAiResponses ? "input" : "messages"] = std::move(list);
  return members;
}

tools::exports::Format format_of(ModelApi api) {
  switch (api) {
    case ModelApi::kOpenAi: return exports::Format::kOpenAi;
    case ModelApi::kOpenAiResponses: return exports::Format::kOpenAiResponses;
    case ModelApi::kAnthropic: return exports::Format::kAnthropic;
  }
  return exports::Format::kOpenAi;
}

std::optional<ModelApi> api_of(exports::Format format) {
  return exports::parse_model_api(exports::format_name(format));
}

Result<std::string> export_conversation(History history, exports::Format format,
                                        std::string_view provider) {
  history.repair(Interruption::kUnknown);
  if (format == exports::Format::kToolway) {
    OrderedJson list = OrderedJson::array();
    for (const Message& message : history.messages()) list.push_back(message_json(message));
    return to_text(OrderedJson{{"format", "toolway"}, {"version", 1}, {"messages", list}});
  }
  const auto api = api_of(format);
  if (!api)
    return fail(ErrorCode::kInvalidRequest,
                "conversations are exported as toolway, openai, openai-responses or anthropic");
  Selection all;
  for (const Message& message : history.messages()) all.push_back(&message);
  // A provider of another API has made forms that this one does not know.
  const auto name = std::string(exports::format_name(format));
  const bool speaks_it = provider == name || provider.starts_with(name + ":");
  return to_text(request_messages(all, *api, speaks_it ? provider : ""));
}

}  // namespace toolway::tools::messages
