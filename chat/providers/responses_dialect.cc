// OpenAI's Responses, without state on its side.
#include <fmt/format.h>

#include "chat/providers/dialect.h"
#include "chat/providers/reply_parts.h"
#include "chat/providers/surrogates.h"
#include "tools/messages/foreign_parts.h"

namespace toolway::chat::providers {
namespace {

using tools::messages::Finish;
using tools::messages::text_member;
using Kind = ProviderError::Kind;

bool refuses(const OrderedJson& item) {
  const auto* content = member(item, "content");
  if (content == nullptr || !content->is_array()) return false;
  for (const auto& part : *content)
    if (text_member(part, "type") == "refusal") return true;
  return false;
}

bool has_no_reply(std::string_view status) { return status == "failed" || status == "cancelled"; }

ProviderError without_reply(std::string_view status) {
  return {Kind::kUnavailable, fmt::format("the provider's response {}; it did not say why",
                                          status == "failed" ? "failed" : "was cancelled")};
}

/// Waits for the event that has the whole response.
class ResponsesReader final : public ReplyReader {
 public:
  ResponsesReader(std::string provider, OnText on_text)
      : provider_(std::move(provider)), shown_(std::move(on_text)) {}

  void take(const tools::http::SseEvent& event) override {
    if (done() || event.data == "[DONE]") return;
    auto object = event_object(event.data);
    if (!object) {
      error_ = std::move(object.error());
      return;
    }
    const auto type = text_member(*object, "type");
    if (type == "response.output_text.delta" || type == "response.refusal.delta") {
      shown_.add(text_member(*object, "delta"));
    } else if (type == "response.output_item.done") {
      if (const auto* item = member(*object, "item")) items_.push_back(*item);
    } else if (type == "response.completed" || type == "response.incomplete" ||
               type == "response.failed" || type == "response.cancelled") {
      if (const auto* response = member(*object, "response")) take_response(*response);
      const auto status = type.substr(std::string_view("response.").size());
      if (has_no_reply(status) && !error_) error_ = without_reply(status);
    } else if (type == "error") {
      const auto* inner = member(*object, "error");
      error_ = error_in(inner != nullptr ? *inner : *object);
    }
  }

  void take_whole(OrderedJson response) override {
    take_response(response);
    const auto* output = member(response, "output");
    if (output == nullptr || !output->is_array()) return;
    for (const auto& item : *output)
      if (text_member(item, "type") == "message")
        if (const auto* content = member(item, "content"))
          shown_.add(tools::messages::text_of_content(*content));
  }

  bool done() const override { return response_ || error_; }

  ReplyResult finish() override {
    if (error_) return tl::unexpected(std::move(*error_));
    if (!response_) return tl::unexpected(cut_off());
    shown_.end();
    mend_halves(items_);
    mend_halves(*response_);
    const auto* output = member(*response_, "output");
    const auto& items =
        output != nullptr && output->is_array() && !output->empty() ? *output : items_;
    std::vector<tools::messages::Part> parts;
    auto finish = Finish::kStop;
    for (const auto& item : items) {
      parts.push_back(tools::messages::part_of_item(item, provider_));
      if (refuses(item)) finish = Finish::kRefusal;
    }
    const auto* details = member(*response_, "incomplete_details");
    if (details != nullptr || text_member(*response_, "status") == "incomplete") {
      const bool filtered =
          details != nullptr && text_member(*details, "reason") == "content_filter";
      finish = filtered ? Finish::kFiltered : Finish::kLength;
    }
    auto made = message_of(std::move(parts), finish, *response_);
    const auto* usage = member(*response_, "usage");
    if (made && usage != nullptr)
      made->usage = tools::messages::Usage{.input = count_member(*usage, {"input_tokens"}),
                                           .output = count_member(*usage, {"output_tokens"})};
    return made;
  }

 private:
  void take_response(const OrderedJson& response) {
    const auto status = text_member(response, "status");
    if (const auto* error = member(response, "error"))
      error_ = error_in(*error);
    else if (has_no_reply(status))
      error_ = without_reply(status);
    if (text_member(response, "object") == "response" || response.contains("output"))
      response_ = response;
  }

  const std::string provider_;
  WholeCharacters shown_;
  OrderedJson items_ = OrderedJson::array();
  std::optional<OrderedJson> response_;
  std::optional<ProviderError> error_;
};

class ResponsesDialect final : public Dialect {
 public:
  tools::exports::ModelApi api() const override {
    return tools::exports::ModelApi::kOpenAiResponses;
  }
  std::string_view default_base_url() const override { return "https://api.openai.com/v1"; }
  std::string_view path() const override { return "/responses"; }
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
    body["store"] = false;
    body["include"] = {"reasoning.encrypted_content"};
    body["max_output_tokens"] = options.max_tokens;
    if (options.temperature) body["temperature"] = *options.temperature;
    if (!request.tools->definitions.empty()) {
      body["tools"] = request.tools->definitions;
      const auto& choice = options.tool_choice;
      body["tool_choice"] = names_tool(choice) ? OrderedJson{{"type", "function"}, {"name", choice}}
                                               : OrderedJson(choice);
    }
    for (const auto& name : left_out) body.erase(name);
    return body;
  }

  const LeftOut& optional() const override {
    static const LeftOut names{"include", "max_output_tokens", "temperature", "tool_choice"};
    return names;
  }
  std::unique_ptr<ReplyReader> reader(std::string provider, OnText on_text) const override {
    return std::make_unique<ResponsesReader>(std::move(provider), std::move(on_text));
  }
};

}  // namespace

std::unique_ptr<Dialect> make_responses_dialect() { return std::make_unique<ResponsesDialect>(); }

}  // namespace toolway::chat::providers
