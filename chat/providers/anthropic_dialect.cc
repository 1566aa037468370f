// Anthropic's Messages.
#include <map>

#include "chat/providers/dialect.h"
#include "chat/providers/reply_parts.h"
#include "chat/providers/surrogates.h"
#include "tools/messages/foreign_parts.h"

namespace toolway::chat::providers {
namespace {

using tools::messages::Finish;
using tools::messages::text_member;
using Kind = ProviderError::Kind;

constexpr std::string_view kWindowIsFull = "model_context_window_exceeded";

Finish finish_of(std::string_view reason) {
  if (reason == "max_tokens" || reason == kWindowIsFull) return Finish::kLength;
  if (reason == "refusal") return Finish::kRefusal;
  if (reason == "pause_turn") return Finish::kPaused;
  return Finish::kStop;
}

/// Puts blocks together by their index.
class MessagesReader final : public ReplyReader {
 public:
  MessagesReader(std::string provider, OnText on_text)
      : provider_(std::move(provider)), shown_(std::move(on_text)) {}

  void take(const tools::http::SseEvent& event) override {
    if (done()) return;
    auto object = event_object(event.data);
    if (!object) {
      error_ = std::move(object.error());
      return;
    }
    const auto type = text_member(*object, "type");
    if (type == "message_start") {
      if (const auto* message = member(*object, "message")) take_header(*message);
    } else if (type == "content_block_start") {
      begin_block(*object);
    } else if (type == "content_block_delta") {
      if (const auto* delta = member(*object, "delta")) add(blocks_[index_of(*object)], *delta);
    } else if (type == "message_delta") {
      if (const auto* delta = member(*object, "delta"))
        if (const auto reason = text_member(*delta, "stop_reason"); !reason.empty())
          reason_ = reason;
      take_usage(*object);
    } else if (type == "message_stop") {
      complete_ = true;
    } else if (type == "error") {
      const auto* error = member(*object, "error");
      error_ = error_in(error != nullptr ? *error : *object);
    }
    if (blocks_.size() > kMaxBlocks)
      error_ = ProviderError{Kind::kBadReply, "the reply has more blocks than are read"};
  }

  void take_whole(OrderedJson response) override {
    if (const auto* error = member(response, "error")) {
      error_ = error_in(*error);
      return;
    }
    take_header(response);
    reason_ = text_member(response, "stop_reason");
    const auto* content = member(response, "content");
    if (content == nullptr || !content->is_array()) return;
    for (const auto& block : *content) {
      show(text_member(block, "text"));
      blocks_[static_cast<std::int64_t>(blocks_.size())] = block;
    }
    complete_ = true;
  }

  bool done() const override { return complete_ || error_; }

  ReplyResult finish() override {
    if (error_) return tl::unexpected(std::move(*error_));
    if (!complete_) return tl::unexpected(cut_off());
    // What was shown is the reply as far as it goes; before that, less may be sent.
    if (reason_ == kWindowIsFull && !said_)
      return fail_with(Kind::kTooLong, "the reply does not fit into the model's context window");
    shown_.end();
    OrderedJson content = OrderedJson::array();
    for (auto& [index, block] : blocks_) {
      mend_halves(block);
      content.push_back(ended(std::move(block)));
    }
    auto made = message_of(tools::messages::parts_of_blocks(content, provider_), finish_of(reason_),
                           header_);
    if (made && usage_.input > 0) made->usage = usage_;
    return made;
  }

 private:
  static constexpr std::size_t kMaxBlocks = 2 * kMaxReplyCalls;

  void take_header(const OrderedJson& message) {
    if (const auto* model = member(message, "model")) header_["model"] = *model;
    take_usage(message);
  }

  void take_usage(const OrderedJson& object) {
    const auto* usage = member(object, "usage");
    if (usage == nullptr) return;
    const auto input = count_member(
        *usage, {"input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"});
    if (input > 0) usage_.input = input;
    usage_.output = count_member(*usage, {"output_tokens"});
  }

  static std::int64_t index_of(const OrderedJson& event) {
    const auto* index = member(event, "index");
    return index != nullptr && index->is_number_integer() ? index->get<std::int64_t>() : 0;
  }

  void begin_block(const OrderedJson& event) {
    const auto* block = member(event, "content_block");
    if (block == nullptr || !block->is_object()) return;
    auto& own = blocks_[index_of(event)] = *block;
    // What follows are pieces of a text of JSON.
    if (own.contains("input") && own["input"] == OrderedJson::object()) own["input"] = "";
    show(text_member(own, "text"));
  }

  void show(const std::string& text) {
    if (text.empty()) return;
    said_ = true;
    shown_.add(text);
  }

  void add(OrderedJson& block, const OrderedJson& delta) {
    const auto type = text_member(delta, "type");
    if (type == "text_delta") {
      const auto text = text_member(delta, "text");
      grow(block, "text", text);
      show(text);
    } else if (type == "input_json_delta") {
      grow(block, "input", text_member(delta, "partial_json"));
    } else if (type == "thinking_delta") {
      grow(block, "thinking", text_member(delta, "thinking"));
    } else if (type == "signature_delta") {
      grow(block, "signature", text_member(delta, "signature"));
    } else if (const auto* citation = member(delta, "citation")) {
      auto& list = block["citations"];
      if (!list.is_array()) list = OrderedJson::array();
      list.push_back(*citation);
    }
  }

  /// Of what the provider calls itself, the input is an object again; of our calls it is kept as
  /// the model wrote it, whatever that is.
  static OrderedJson ended(OrderedJson block) {
    const auto* input = member(block, "input");
    if (input == nullptr || !input->is_string() || text_member(block, "type") == "tool_use")
      return block;
    auto parsed = parse_ordered_json(input->get_ref<const std::string&>());
    block["input"] = parsed && parsed->is_object() ? std::move(*parsed) : OrderedJson::object();
    return block;
  }

  static void grow(OrderedJson& block, const char* name, const std::string& text) {
    auto& own = block[name];
    if (own.is_string())
      append_text(own.get_ref<std::string&>(), text);
    else
      own = text;
  }

  const std::string provider_;
  WholeCharacters shown_;
  OrderedJson header_ = OrderedJson::object();
  std::map<std::int64_t, OrderedJson> blocks_;
  std::string reason_;
  tools::messages::Usage usage_;
  bool said_ = false;
  bool complete_ = false;
  std::optional<ProviderError> error_;
};

/// What comes before the conversation is the same each time: the provider may keep it.
const OrderedJson& kept() {
  static const OrderedJson mark = {{"type", "ephemeral"}};
  return mark;
}

OrderedJson choice_of(const std::string& choice) {
  if (names_tool(choice)) return {{"type", "tool"}, {"name", choice}};
  return {{"type", choice == "required" ? "any" : choice}};
}

class AnthropicDialect final : public Dialect {
 public:
  tools::exports::ModelApi api() const override { return tools::exports::ModelApi::kAnthropic; }
  std::string_view default_base_url() const override { return "https://api.anthropic.com"; }
  std::string_view path() const override { return "/v1/messages"; }
  tools::http::HttpHeaders headers(const std::string& key) const override {
    tools::http::HttpHeaders made{{"anthropic-version", "2023-06-01"}};
    if (!key.empty()) made.push_back({"x-api-key", key, tools::http::HttpHeader::Holds::kSecret});
    return made;
  }

  OrderedJson body(const ModelRequest& request, std::string_view provider,
                   const LeftOut& left_out) const override {
    const auto& options = request.options;
    auto body = ordered_object(kBodyMembers);
    body["model"] = options.model;
    body["max_tokens"] = options.max_tokens;
    add_members(body, tools::messages::request_messages(request.messages, api(), provider,
                                                        sent_blocks(request, left_out)));
    body["stream"] = true;
    if (options.temperature) body["temperature"] = *options.temperature;
    const bool keeps = !left_out.contains("cache_control");
    if (body.contains("system") && keeps)
      body["system"] = OrderedJson::array(
          {{{"type", "text"}, {"text", body["system"]}, {"cache_control", kept()}}});
    if (!request.tools->definitions.empty()) {
      body["tools"] = request.tools->definitions;
      if (keeps) body["tools"].back()["cache_control"] = kept();
      body["tool_choice"] = choice_of(options.tool_choice);
    }
    for (const auto& name : left_out) body.erase(name);
    return body;
  }

  const LeftOut& optional() const override {
    static const LeftOut names{"cache_control", "temperature", "tool_choice"};
    return names;
  }
  std::unique_ptr<ReplyReader> reader(std::string provider, OnText on_text) const override {
    return std::make_unique<MessagesReader>(std::move(provider), std::move(on_text));
  }
};

}  // namespace

std::unique_ptr<Dialect> make_anthropic_dialect() { return std::make_unique<AnthropicDialect>(); }

}  // namespace toolway::chat::providers
