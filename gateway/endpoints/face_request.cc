#include "gateway/endpoints/face_request.h"

#include <fmt/format.h>

#include <ranges>
#include <vector>

#include "base/try.h"
#include "gateway/endpoints/turn_start.h"
#include "tools/builtin/turn_spec.h"
#include "tools/messages/blocks.h"
#include "tools/messages/export.h"
#include "tools/messages/import.h"
#include "tools/messages/message_json.h"

namespace toolway::gateway::endpoints {
namespace {

namespace turn = tools::builtin::turn;
using tools::exports::ModelApi;

constexpr std::size_t kMaxDepth = 128;
constexpr std::size_t kMaxFaceBlockBytes = 384UL * 1024;

tl::unexpected<Error> refused(std::string message) {
  return fail(ErrorCode::kInvalidRequest, std::move(message));
}

/// The model's own parameters, as options of the turn.
Result<Json> options_of(const OrderedJson& body) {
  Json options = Json::object();
  const auto given = [&](const char* name) -> const OrderedJson* {
    const auto found = body.find(name);
    return found != body.end() && !found->is_null() ? &*found : nullptr;
  };
  if (const auto* temperature = given("temperature")) {
    if (!temperature->is_number()) return refused("temperature: expected a number");
    options["temperature"] = temperature->get<double>();
  }
  for (const auto* name : {"max_tokens", "max_completion_tokens", "max_output_tokens"}) {
    const auto* tokens = given(name);
    if (tokens == nullptr) continue;
    if (!tokens->is_number_unsigned() || *tokens == 0)
      return refused(fmt::format("{}: expected a whole number of 1 or more", name));
    options["max_tokens"] = tokens->get<std::uint64_t>();
  }
  return options;
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

Result<FaceRequest> read_face_request(std::string_view text, ModelApi api) {
  ASSIGN_OR_RETURN(auto body, parse_ordered_json(text, kMaxDepth));
  if (!body.is_object()) return refused("the request must be a JSON object");
  const auto model = body.find("model");
  if (model == body.end() || !model->is_string()) return refused("model: it is missing");
  for (const auto* name : {"tools", "functions"}) {
    const auto tools = body.find(name);
    if (tools != body.end() && !(tools->is_null() || (tools->is_array() && tools->empty())))
      return refused(
          "tools: here the model has the tools of the session, which run on the server's side; "
          "leave them out. For a loop of your own, take them from GET "
          "/v1/sessions/{s}/tools?format=, and send the model's messages to POST "
          "/v1/sessions/{s}/tool_calls");
  }
  FaceRequest request{.model = model->get<std::string>(), .turn = {}};
  const auto stream = body.find("stream");
  request.streams = stream != body.end() && *stream == true;
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
