#include "chat/providers/model_server.h"

#include <fmt/format.h>

#include "base/sha256.h"
#include "base/text.h"
#include "chat/providers/reply_parts.h"
#include "tools/messages/api_writer.h"
#include "tools/messages/import.h"

namespace toolway::chat::providers {
namespace {

using Kind = ProviderError::Kind;
using tools::exports::ModelApi;

int status_of(Kind kind) {
  switch (kind) {
    case Kind::kUnauthenticated: return 401;
    case Kind::kDenied: return 403;
    case Kind::kUnknownModel: return 404;
    case Kind::kTooLong:
    case Kind::kRefused: return 400;
    case Kind::kRateLimited: return 429;
    case Kind::kOverloaded: return 529;
    case Kind::kNotConfigured:
    case Kind::kUnavailable:
    case Kind::kTimedOut:
    case Kind::kBadReply:
    case Kind::kStopped: break;
  }
  return 500;
}

/// Ids that are not there are the server's to make.
void number_calls(tools::messages::Message& message, std::size_t number) {
  std::size_t index = 0;
  for (auto& part : message.parts)
    if (part.kind == tools::messages::Part::Kind::kCall && part.call.id.empty())
      part.call.id = fmt::format("call_{}_{}", number, index++);
}

class Answering {
 public:
  /// Its id: no two replies of a conversation may have the same one. Clients would take the second
  /// for the first, changed.
  Answering(ModelApi api, const AnswerSink& sink, tools::messages::ReplyIdentity identity)
      : api_(api),
        sink_(sink),
        writer_(tools::messages::make_api_writer(api, std::move(identity))) {}

  void refuse(int status, std::string_view message) {
    sink_.head(status, "application/json");
    sink_.body(to_text(tools::messages::api_error(
        api_, status == 400 ? "invalid_request_error" : "api_error", message)));
  }

  void answer(const OrderedJson& request, const tools::messages::History& history,
              Provider& provider, const std::stop_token& stop) {
    const auto* stream = member(request, "stream");
    streams_ = stream != nullptr && *stream == true;
    ModelRequest asked;
    for (const auto& message : history.messages()) asked.messages.push_back(&message);
    if (const auto* tools = member(request, "tools"))
      asked.tools = window::tool_list(*tools, tools::exports::ModelApi::kOpenAi);
    auto reply = provider.ask(asked, [this](std::string_view text) { say(text); }, stop);
    if (!reply) {
      if (!begun_) refuse(status_of(reply.error().kind), reply.error().message);
      return;  // a stream that ends in the middle says that it failed
    }
    number_calls(*reply, history.messages().size());
    if (!streams_) {
      sink_.head(200, "application/json");
      return sink_.body(to_text(writer_->whole(*reply)));
    }
    begin();
    sink_.body(writer_->end(*reply));
  }

 private:
  void begin() {
    if (std::exchange(begun_, true)) return;
    sink_.head(200, "text/event-stream");
    sink_.body(writer_->begin());
  }
  void say(std::string_view text) {
    if (!streams_) return;
    begin();
    sink_.body(writer_->text(text));
  }

  const ModelApi api_;
  const AnswerSink& sink_;
  const std::unique_ptr<tools::messages::ApiWriter> writer_;
  bool streams_ = false;
  bool begun_ = false;
};

}  // namespace

std::optional<ModelApi> api_of_path(std::string_view path) {
  if (path == "/v1/chat/completions") return ModelApi::kOpenAi;
  if (path == "/v1/responses") return ModelApi::kOpenAiResponses;
  if (path == "/v1/messages") return ModelApi::kAnthropic;
  return std::nullopt;
}

void serve_model(ModelApi api, std::string_view request, Provider& provider, const AnswerSink& sink,
                 std::stop_token stop) {
  constexpr std::size_t kMaxDepth = 128;
  constexpr std::size_t kIdDigits = 24;
  const auto parsed = parse_ordered_json(request, kMaxDepth);
  Answering answering(api, sink,
                      {.id = sha256_hex(request).substr(0, kIdDigits),
                       .streams_usage = parsed && tools::messages::wants_usage(*parsed)});
  if (!parsed) return answering.refuse(400, parsed.error().message);
  if (!parsed->is_object()) return answering.refuse(400, "the request must be an object");
  if (member(*parsed, "model") == nullptr) return answering.refuse(400, "model: it is missing");
  if (api == ModelApi::kAnthropic && member(*parsed, "max_tokens") == nullptr)
    return answering.refuse(400, "max_tokens: it is missing");
  auto history = tools::messages::import_conversation(
      request, tools::messages::format_of(api), tools::messages::Mended::kRefuse, provider.id());
  if (!history) return answering.refuse(400, history.error().message);
  answering.answer(*parsed, history->history, provider, stop);
}

}  // namespace toolway::chat::providers
