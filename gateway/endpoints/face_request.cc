#include "gateway/endpoints/face_request.h"

#include <fmt/format.h>

#include <ranges>
#include <vector>

#include "base/try.h"
#include "gateway/endpoints/turn_start.h"
#include "tools/builtin/turn_spec.h"
#include "tools/messages/api_writer.h"
#include "tools/messages/blocks.h"
#include "tools/messages/export.h"
#include "tools/messages/import.h"
#include "tools/messages/message_json.h"

namespace toolway::gateway::endpoints {
namespace {

namespace turn = tools::builtin::turn;
using tools::exports::ModelApi;

constexpr std::size_t kMaxFaceBlockBytes = 384UL * 1024;

tl::unexpected<Error> refused(std::string message) {
  return fail(ErrorCode::kInvalidRequest, std::move(message));
}

/// A member that says something; null: there is none.
const OrderedJson* given(const OrderedJson& object, std::string_view name) {
  const auto found = object.find(name);
  return found != object.end() && !found->is_null() ? &*found : nullptr;
}

std::string text_at(const OrderedJson& object, std::string_view name) {
  const auto* found = given(object, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

/// `tool_choice` in the words of turns, from those of each API. Empty: it has none of these forms.
std::string choice_of(const OrderedJson& choice) {
  const auto word = choice.is_string()   ? choice.get<std::string>()
                    : choice.is_object() ? text_at(choice, "type")
                                         : std::string();
  if (word == "auto" || word == "none" || word == "required") return word;
  if (word == "any") return "required";
  if (!choice.is_object() || (word != "tool" && word != "function")) return {};
  const auto* function = given(choice, "function");
  return text_at(function != nullptr && function->is_object() ? *function : choice, "name");
}

bool is_text_format(const OrderedJson& format) {
  return format.is_object() && text_at(format, "type") == "text";
}

/// What a client would rely on, and a turn does not do.
Result<void> refuse_unsupported(const OrderedJson& body) {
  const auto refuse = [](std::string_view name, std::string_view why) {
    return refused(fmt::format("{}: {}", name, why));
  };
  for (const auto* name : {"previous_response_id", "conversation"})
    if (given(body, name) != nullptr)
      return refuse(name, "here the messages of a request are the whole history: send them all");
  if (const auto* prompt = given(body, "prompt"); prompt != nullptr)
    return refuse("prompt", "there are no stored prompts here: send the messages");
  for (const auto* name : {"background", "logprobs"})
    if (const auto* wish = given(body, name); wish != nullptr && *wish != false)
      return refuse(name, "this is not done here: leave it out");
  if (const auto* count = given(body, "n"); count != nullptr && *count != 1)
    return refuse("n", "a request gets one reply: leave it out");
  for (const auto* name : {"stop", "stop_sequences"})
    if (const auto* stop = given(body, name); stop != nullptr && !stop->empty())
      return refuse(name, "a turn of several messages has no stop sequences: leave them out");
  const auto* text = given(body, "text");
  if (text != nullptr && !text->is_object()) return refuse("text", "expected an object");
  const auto* format = text != nullptr ? given(*text, "format") : nullptr;
  if (format == nullptr) format = given(body, "response_format");
  if (format != nullptr && !is_text_format(*format))
    return refuse(text != nullptr ? "text.format" : "response_format",
                  "a reply is text: leave it out");
  return {};
}

/// The model's own parameters, as options of the turn.
Result<Json> options_of(const OrderedJson& body) {
  Json options = Json::object();
  if (const auto* choice = given(body, "tool_choice")) {
    auto word = choice_of(*choice);
    if (word.empty())
      return refused("tool_choice: expected auto, none, required (any), or a tool with its name");
    options["tool_choice"] = std::move(word);
  }
  if (const auto* temperature = given(body, "temperature")) {
    if (!temperature->is_number()) return refused("temperature: expected a number");
    options["temperature"] = temperature->get<double>();
  }
  for (const auto* name : {"max_tokens", "max_completion_tokens", "max_output_tokens"}) {
    const auto* tokens = given(body, name);
    if (tokens == nullptr) continue;
    if (!tokens->is_number_unsigned() || *tokens == 0)
      return refused(fmt::format("{}: expected a whole number of 1 or more", name));
    options["max_tokens"] = tokens->get<std::uint64_t>();
  }
  return options;
}

/// Whether a member is true; nothing: it is not.
Result<bool> flag_of(const OrderedJson& object, std::string_view name) {
  const auto* found = given(object, name);
  if (found != nullptr && !found->is_boolean())
    return refused(fmt::format("{}: expected true or false", name));
  return found != nullptr && found->get<bool>();
}

Result<void> check_stream_options(const OrderedJson& body) {
  const auto* options = given(body, "stream_options");
  if (options == nullptr) return {};
  if (!options->is_object()) return refused("stream_options: expected an object");
  const auto* usage = given(*options, "include_usage");
  if (usage != nullptr && !usage->is_boolean())
    return refused("stream_options.include_usage: expected true or false");
  return {};
}

/// A text in place of a list of messages is one message of the user.
void spell_out_input(OrderedJson& body) {
  const auto input = body.find("input");
  if (input == body.end() || !input->is_string()) return;
  OrderedJson message{{"role", "user"}, {"content", *input}};
  *input = OrderedJson::array({std::move(message)});
}

/// The arguments of a turn travel in one message: images and documents that have no room in it are
/// lines of text, those of older results first.
void bound_blocks(std::vector<tools::messages::Message>& messages) {
  std::size_t left = kMaxFaceBlockBytes;
  for (auto& message : std::views::reverse(messages))
    left -= tools::messages::bound_blocks(message, left);
}

}  // namespace

Result<FaceRequest> read_face_request(OrderedJson body, ModelApi api) {
  if (!body.is_object()) return refused("the request must be a JSON object");
  const auto model = body.find("model");
  if (model == body.end() || !model->is_string()) return refused("model: it is missing");
  for (const auto* name : {"tools", "functions", "mcp_servers"}) {
    const auto* tools = given(body, name);
    if (tools != nullptr && !(tools->is_array() && tools->empty()))
      return refused(
          "tools: here the model has the tools of the session, which run on the server's side; "
          "leave them out. For a loop of your own, take them from GET "
          "/v1/sessions/{s}/tools?format=, and send the model's messages to POST "
          "/v1/sessions/{s}/tool_calls");
  }
  RETURN_IF_ERROR(refuse_unsupported(body));
  FaceRequest request{.model = model->get<std::string>()};
  ASSIGN_OR_RETURN(request.streams, flag_of(body, "stream"));
  RETURN_IF_ERROR(check_stream_options(body));
  request.streams_usage = tools::messages::wants_usage(body);
  spell_out_input(body);
  ASSIGN_OR_RETURN(const auto imported, tools::messages::import_conversation(
                                            to_text(body), tools::messages::format_of(api),
                                            tools::messages::Mended::kRefuse, ""));
  auto messages = imported.history.messages();
  bound_blocks(messages);
  if (messages.empty() || messages.back().role == tools::messages::Role::kAssistant ||
      messages.back().role == tools::messages::Role::kSystem)
    return refused("the last message must be the user's");
  ASSIGN_OR_RETURN(auto options, options_of(body));
  request.turn = turn_body({{turn::kStep, turn::kSend},
                            {turn::kMessages, tools::messages::messages_json(messages)},
                            {turn::kOptions, std::move(options)}});
  return request;
}

}  // namespace toolway::gateway::endpoints
