// Chat Completions, as OpenAI and many servers speak it.
#include "chat/providers/dialect.h"
#include "chat/providers/reply_parts.h"
#include "chat/providers/streamed_calls.h"
#include "chat/providers/surrogates.h"
#include "tools/messages/foreign_parts.h"

namespace toolway::chat::providers {
namespace {

using tools::messages::Finish;
using tools::messages::text_member;
using Kind = ProviderError::Kind;

Finish finish_of(std::string_view reason, const OrderedJson& message) {
  if (reason == "length") return Finish::kLength;
  if (reason == "content_filter") return Finish::kFiltered;
  if (!text_member(message, "refusal").empty()) return Finish::kRefusal;
  return Finish::kStop;
}

/// Puts a message together from deltas.
class ChatReader final : public ReplyReader {
 public:
  ChatReader(std::string provider, OnText on_text)
      : provider_(std::move(provider)), shown_(std::move(on_text)) {}

  void take(const tools::http::SseEvent& event) override {
    if (done()) return;
    if (event.data == "[DONE]") {
      complete_ = true;
      return;
    }
    auto chunk = event_object(event.data);
    if (!chunk) {
      error_ = std::move(chunk.error());
      return;
    }
    take_chunk(*chunk);
  }

  void take_whole(OrderedJson response) override {
    take_header(response);
    const auto* choices = member(response, "choices");
    if (choices == nullptr || !choices->is_array() || choices->empty()) return;
    const auto& choice = choices->front();
    reason_ = text_member(choice, "finish_reason");
    if (const auto* message = member(choice, "message")) message_ = *message;
    tell(message_);
    complete_ = message_.is_object();
  }

  bool done() const override { return complete_ || error_; }

  ReplyResult finish() override {
    if (error_) return tl::unexpected(std::move(*error_));
    if (!complete_ && reason_.empty()) return tl::unexpected(cut_off());
    if (calls_.size() > 0) message_["tool_calls"] = calls_.take_all();
    shown_.end();
    mend_halves(message_);
    auto made = message_of(tools::messages::parts_of_chat(message_, provider_),
                           finish_of(reason_, message_), header_);
    if (made && usage_.input > 0) made->usage = usage_;
    return made;
  }

 private:
  void take_header(const OrderedJson& chunk) {
    if (const auto* error = member(chunk, "error")) error_ = error_in(*error);
    if (const auto* model = member(chunk, "model")) header_["model"] = *model;
    if (const auto* usage = member(chunk, "usage"))
      usage_ = {.input = count_member(*usage, {"prompt_tokens"}),
                .output = count_member(*usage, {"completion_tokens"})};
  }

  void take_chunk(const OrderedJson& chunk) {
    take_header(chunk);
    const auto* choices = member(chunk, "choices");
    if (choices == nullptr || !choices->is_array() || choices->empty()) return;
    const auto& choice = choices->front();
    if (const auto reason = text_member(choice, "finish_reason"); !reason.empty()) reason_ = reason;
    const auto* delta = member(choice, "delta");
    if (delta == nullptr || !delta->is_object()) return;
    for (const auto& [name, value] : delta->items()) {
      if (name == "tool_calls")
        calls_.take(value);
      else if (name != "role")
        add(name, value);
    }
    tell(*delta);
    if (calls_.size() > kMaxReplyCalls)
      error_ =
          ProviderError{Kind::kBadReply, "the model makes more calls at once than are answered"};
  }

  /// A refusal is the text of a message without content.
  void tell(const OrderedJson& piece) {
    auto text = text_member(piece, "content");
    if (text_member(message_, "content").empty()) text = text_member(piece, "refusal");
    shown_.add(text);
  }

  /// A member of the message: texts and lists grow.
  void add(const std::string& name, const OrderedJson& value) {
    if (value.is_null()) return;
    auto& own = message_[name];
    if (own.is_string() && value.is_string()) {
      append_text(own.get_ref<std::string&>(), value.get_ref<const std::string&>());
    } else if (own.is_array() && value.is_array()) {
      own.insert(own.end(), value.begin(), value.end());
    } else {
      own = value;
    }
  }

  const std::string provider_;
  WholeCharacters shown_;
  OrderedJson message_ = OrderedJson::object();
  OrderedJson header_ = OrderedJson::object();
  StreamedCalls calls_;
  std::string reason_;
  tools::messages::Usage usage_;
  bool complete_ = false;
  std::optional<ProviderError> error_;
};

class OpenAiDialect final : public Dialect {
 public:
  tools::exports::ModelApi api() const override { return tools::exports::ModelApi::kOpenAi; }
  std::string_view default_base_url() const override { return "https://api.openai.com/v1"; }
  std::string_view path() const override { return "/chat/completions"; }
  tools::http::HttpHeaders headers(const std::string& key) const override {
    return bearer_headers(key);
  }

  OrderedJson body(const ModelRequest& request, std::string_view provider,
                   const LeftOut& left_out) const override {
    const auto& options = request.options;
    auto body = ordered_object(kBodyMembers);
    body["model"] = options.model;
    add_members(body, tools::messages::request_messages(request.messages, api(), provider,
                                                        sent_blocks(request, left_out)));
    body["stream"] = true;
    body["stream_options"] = {{"include_usage", true}};
    const bool old = left_out.contains("max_completion_tokens");
    body[old ? "max_tokens" : "max_completion_tokens"] = options.max_tokens;
    if (options.temperature) body["temperature"] = *options.temperature;
    if (!request.tools->definitions.empty()) {
      body["tools"] = request.tools->definitions;
      const auto& choice = options.tool_choice;
      body["tool_choice"] =
          names_tool(choice) ? OrderedJson{{"type", "function"}, {"function", {{"name", choice}}}}
                             : OrderedJson(choice);
    }
    for (const auto& name : left_out) body.erase(name);
    return body;
  }

  const LeftOut& optional() const override {
    static const LeftOut names{"max_completion_tokens", "max_tokens", "stream_options",
                               "temperature", "tool_choice"};
    return names;
  }
  std::unique_ptr<ReplyReader> reader(std::string provider, OnText on_text) const override {
    return std::make_unique<ChatReader>(std::move(provider), std::move(on_text));
  }
};

}  // namespace

std::unique_ptr<Dialect> make_openai_dialect() { return std::make_unique<OpenAiDialect>(); }

}  // namespace toolway::chat::providers
