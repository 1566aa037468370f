#include "tools/messages/api_writer.h"

#include <fmt/format.h>

#include <utility>

#include "tools/messages/shown.h"

namespace toolway::tools::messages {
namespace {

using exports::ModelApi;

std::string event(std::string_view type, const OrderedJson& data) {
  return type.empty() ? fmt::format("data: {}\n\n", to_text(data))
                      : fmt::format("event: {}\ndata: {}\n\n", type, to_text(data));
}

std::uint64_t input_of(const Message& message) { return message.usage ? message.usage->input : 0; }
std::uint64_t output_of(const Message& message) {
  return message.usage ? message.usage->output : 0;
}

class ChatWriter final : public ApiWriter {
 public:
  explicit ChatWriter(ReplyIdentity identity) : identity_(std::move(identity)) {}
  std::string begin() override { return chunk({{"role", "assistant"}, {"content", ""}}, nullptr); }
  std::string text(std::string_view piece) override { return chunk({{"content", piece}}, nullptr); }
  std::string end(const Message& message) override {
    std::string out;
    int index = 0;
    for (const auto& call : calls_of(message)) {
      OrderedJson entry = {{"index", index}};
      entry.update(call_json(call));
      entry["function"]["arguments"] = "";
      out += chunk({{"tool_calls", OrderedJson::array({entry})}}, nullptr);
      const auto half = call.arguments.size() / 2;
      for (const auto& piece : {call.arguments.substr(0, half), call.arguments.substr(half)})
        out += chunk(
            {{"tool_calls",
              OrderedJson::array({{{"index", index}, {"function", {{"arguments", piece}}}}})}},
            nullptr);
      ++index;
    }
    if (message.finish == Finish::kRefusal) out += chunk({{"refusal", text_of(message)}}, nullptr);
    out += chunk(OrderedJson::object(), reason(message));
    if (identity_.streams_usage) {
      OrderedJson last = header("chat.completion.chunk");
      last["choices"] = OrderedJson::array();
      last["usage"] = usage(message);
      out += event("", last);
    }
    return out + "data: [DONE]\n\n";
  }
  OrderedJson whole(const Message& message) override {
    OrderedJson own = {{"role", "assistant"}, {"content", text_of(message)}};
    for (const auto& call : calls_of(message)) own["tool_calls"].push_back(call_json(call));
    if (own.contains("tool_calls") && text_of(message).empty()) own["content"] = nullptr;
    if (message.finish == Finish::kRefusal)
      own["refusal"] = std::exchange(own["content"], OrderedJson());
    OrderedJson made = header("chat.completion");
    made["choices"] = OrderedJson::array({{{"index", 0},
                                           {"message", own},
                                           {"logprobs", nullptr},
                                           {"finish_reason", reason(message)}}});
    made["usage"] = usage(message);
    return made;
  }

 private:
  OrderedJson header(std::string_view object) const {
    return {{"id", "chatcmpl-" + identity_.id},
            {"object", object},
            {"created", identity_.created_s},
            {"model", identity_.model}};
  }
  static OrderedJson call_json(const Call& call) {
    return {{"id", call.id},
            {"type", "function"},
            {"function", {{"name", call.tool}, {"arguments", call.arguments}}}};
  }
  static std::string reason(const Message& message) {
    switch (message.finish) {
      case Finish::kCalls: return "tool_calls";
      case Finish::kLength: return "length";
      case Finish::kFiltered: return "content_filter";
      case Finish::kStop:
      case Finish::kRefusal:
      case Finish::kPaused:
      case Finish::kStopped: break;
    }
    return "stop";
  }
  static OrderedJson usage(const Message& message) {
    return {{"prompt_tokens", input_of(message)},
            {"completion_tokens", output_of(message)},
            {"total_tokens", input_of(message) + output_of(message)}};
  }
  std::string chunk(const OrderedJson& delta, const OrderedJson& reason) const {
    OrderedJson made = header("chat.completion.chunk");
    made["choices"] =
        OrderedJson::array({{{"index", 0}, {"delta", delta}, {"finish_reason", reason}}});
    return event("", made);
  }

  const ReplyIdentity identity_;
};

class ResponsesWriter final : public ApiWriter {
 public:
  explicit ResponsesWriter(ReplyIdentity identity) : identity_(std::move(identity)) {}
  std::string begin() override {
    return typed({{"type", "response.created"},
                  {"response", response("in_progress", OrderedJson::array())}});
  }
  std::string text(std::string_view piece) override {
    std::string out;
    if (!std::exchange(speaks_, true)) out = message_begins();
    return out + typed({{"type", "response.output_text.delta"},
                        {"item_id", message_id()},
                        {"output_index", 0},
                        {"content_index", 0},
                        {"delta", piece},
                        {"logprobs", OrderedJson::array()}});
  }
  std::string end(const Message& message) override {
    const auto made = whole(message);
    std::string out;
    for (std::size_t i = 0; i < made["output"].size(); ++i) {
      const auto& item = made["output"][i];
      out += item["type"] == "message" ? message_ends(item) : call_begins(item, i);
      out += typed({{"type", "response.output_item.done"}, {"output_index", i}, {"item", item}});
    }
    const bool cut = made["status"] == "incomplete";
    return out + typed({{"type", cut ? "response.incomplete" : "response.completed"},
                        {"response", made}});
  }
  OrderedJson whole(const Message& message) override {
    OrderedJson output = OrderedJson::array();
    const auto said = text_of(message);
    const bool refused = message.finish == Finish::kRefusal;
    if (!said.empty()) {
      const OrderedJson part = refused ? OrderedJson{{"type", "refusal"}, {"refusal", said}}
                                       : OrderedJson{{"type", "output_text"},
                                                     {"text", said},
                                                     {"annotations", OrderedJson::array()}};
      output.push_back({{"id", message_id()},
                        {"type", "message"},
                        {"status", "completed"},
                        {"role", "assistant"},
                        {"content", OrderedJson::array({part})}});
    }
    for (const auto& call : calls_of(message))
      output.push_back({{"id", "fc_" + call.id},
                        {"type", "function_call"},
                        {"status", "completed"},
                        {"call_id", call.id},
                        {"name", call.tool},
                        {"arguments", call.arguments}});
    const bool cut = message.finish == Finish::kLength || message.finish == Finish::kFiltered;
    auto made = response(cut ? "incomplete" : "completed", std::move(output));
    if (cut)
      made["incomplete_details"] = {
          {"reason", message.finish == Finish::kLength ? "max_output_tokens" : "content_filter"}};
    made["usage"] = {{"input_tokens", input_of(message)},
                     {"output_tokens", output_of(message)},
                     {"total_tokens", input_of(message) + output_of(message)}};
    return made;
  }

 private:
  std::string message_begins() {
    const OrderedJson empty = {
        {"type", "output_text"}, {"text", ""}, {"annotations", OrderedJson::array()}};
    const OrderedJson item = {{"id", message_id()},
                              {"type", "message"},
                              {"status", "in_progress"},
                              {"role", "assistant"},
                              {"content", OrderedJson::array()}};
    return typed({{"type", "response.output_item.added"}, {"output_index", 0}, {"item", item}}) +
           typed({{"type", "response.content_part.added"},
                  {"item_id", message_id()},
                  {"output_index", 0},
                  {"content_index", 0},
                  {"part", empty}});
  }
  std::string message_ends(const OrderedJson& item) {
    std::string out;
    if (!std::exchange(speaks_, true)) out = message_begins();
    const auto& part = item["content"][0];
    if (part["type"] == "output_text")
      out += typed({{"type", "response.output_text.done"},
                    {"item_id", message_id()},
                    {"output_index", 0},
                    {"content_index", 0},
                    {"text", part["text"]},
                    {"logprobs", OrderedJson::array()}});
    return out + typed({{"type", "response.content_part.done"},
                        {"item_id", message_id()},
                        {"output_index", 0},
                        {"content_index", 0},
                        {"part", part}});
  }
  std::string call_begins(const OrderedJson& item, std::size_t index) {
    auto empty = item;
    empty["status"] = "in_progress";
    empty["arguments"] = "";
    return typed(
               {{"type", "response.output_item.added"}, {"output_index", index}, {"item", empty}}) +
           typed({{"type", "response.function_call_arguments.delta"},
                  {"item_id", item["id"]},
                  {"output_index", index},
                  {"delta", item["arguments"]}}) +
           typed({{"type", "response.function_call_arguments.done"},
                  {"item_id", item["id"]},
                  {"output_index", index},
                  {"name", item["name"]},
                  {"arguments", item["arguments"]}});
  }
  std::string message_id() const { return "msg_" + identity_.id; }
  OrderedJson response(std::string_view status, OrderedJson output) const {
    return {{"id", "resp_" + identity_.id},
            {"object", "response"},
            {"created_at", identity_.created_s},
            {"model", identity_.model},
            {"status", status},
            {"output", std::move(output)},
            {"error", nullptr},
            {"incomplete_details", nullptr},
            {"parallel_tool_calls", true},
            {"tool_choice", "auto"},
            {"tools", OrderedJson::array()}};
  }
  std::string typed(OrderedJson data) {
    data["sequence_number"] = number_++;
    return event(data["type"].get_ref<const std::string&>(), data);
  }
  const ReplyIdentity identity_;
  bool speaks_ = false;
  unsigned number_ = 0;
};

class MessagesWriter final : public ApiWriter {
 public:
  explicit MessagesWriter(ReplyIdentity identity) : identity_(std::move(identity)) {}
  std::string begin() override {
    OrderedJson message = header();
    message["content"] = OrderedJson::array();
    message["stop_reason"] = nullptr;
    message["stop_sequence"] = nullptr;
    message["usage"] = {{"input_tokens", 1}, {"output_tokens", 1}};
    return typed({{"type", "message_start"}, {"message", message}}) + typed({{"type", "ping"}});
  }
  std::string text(std::string_view piece) override {
    std::string out;
    if (!std::exchange(open_, true)) out += block({{"type", "text"}, {"text", ""}});
    return out + delta({{"type", "text_delta"}, {"text", piece}});
  }
  std::string end(const Message& message) override {
    std::string out = open_ ? stop() : "";
    for (const auto& call : calls_of(message)) {
      out += block({{"type", "tool_use"},
                    {"id", call.id},
                    {"name", call.tool},
                    {"input", OrderedJson::object()}});
      const auto half = call.arguments.size() / 2;
      for (const auto& piece : {call.arguments.substr(0, half), call.arguments.substr(half)})
        out += delta({{"type", "input_json_delta"}, {"partial_json", piece}});
      out += stop();
    }
    out += typed(
        {{"type", "message_delta"},
         {"delta", {{"stop_reason", reason(message)}, {"stop_sequence", nullptr}}},
         {"usage", {{"input_tokens", input_of(message)}, {"output_tokens", output_of(message)}}}});
    return out + typed({{"type", "message_stop"}});
  }
  OrderedJson whole(const Message& message) override {
    OrderedJson made = header();
    made["content"] = OrderedJson::array();
    if (const auto said = text_of(message); !said.empty())
      made["content"].push_back({{"type", "text"}, {"text", said}});
    for (const auto& call : calls_of(message)) {
      auto input = parse_ordered_json(shown_arguments(call.arguments));
      made["content"].push_back({{"type", "tool_use"},
                                 {"id", call.id},
                                 {"name", call.tool},
                                 {"input", input ? *input : OrderedJson::object()}});
    }
    made["stop_reason"] = reason(message);
    made["stop_sequence"] = nullptr;
    made["usage"] = {{"input_tokens", input_of(message)}, {"output_tokens", output_of(message)}};
    return made;
  }

 private:
  OrderedJson header() const {
    return {{"id", "msg_" + identity_.id},
            {"type", "message"},
            {"role", "assistant"},
            {"model", identity_.model}};
  }
  static std::string reason(const Message& message) {
    switch (message.finish) {
      case Finish::kCalls: return "tool_use";
      case Finish::kLength: return "max_tokens";
      case Finish::kRefusal:
      case Finish::kFiltered: return "refusal";
      case Finish::kPaused: return "pause_turn";
      case Finish::kStop:
      case Finish::kStopped: break;
    }
    return "end_turn";
  }
  static std::string typed(const OrderedJson& data) {
    return event(data["type"].get_ref<const std::string&>(), data);
  }
  std::string block(const OrderedJson& content) {
    return typed({{"type", "content_block_start"}, {"index", index_}, {"content_block", content}});
  }
  std::string delta(const OrderedJson& piece) {
    return typed({{"type", "content_block_delta"}, {"index", index_}, {"delta", piece}});
  }
  std::string stop() { return typed({{"type", "content_block_stop"}, {"index", index_++}}); }

  const ReplyIdentity identity_;
  bool open_ = false;
  unsigned index_ = 0;
};

}  // namespace

std::unique_ptr<ApiWriter> make_api_writer(ModelApi api, ReplyIdentity identity) {
  switch (api) {
    case ModelApi::kOpenAi: return std::make_unique<ChatWriter>(std::move(identity));
    case ModelApi::kOpenAiResponses: return std::make_unique<ResponsesWriter>(std::move(identity));
    case ModelApi::kAnthropic: return std::make_unique<MessagesWriter>(std::move(identity));
  }
  return nullptr;
}

bool wants_usage(const OrderedJson& request) {
  const auto options = request.find("stream_options");
  if (options == request.end() || !options->is_object()) return false;
  const auto usage = options->find("include_usage");
  return usage != options->end() && *usage == true;
}

OrderedJson api_error(ModelApi api, std::string_view type, std::string_view message,
                      std::string_view code) {
  OrderedJson error = {{"type", type}, {"message", message}};
  if (api != ModelApi::kAnthropic) {
    error["param"] = nullptr;
    error["code"] = nullptr;
  }
  if (!code.empty()) error["code"] = code;
  if (api == ModelApi::kAnthropic) return {{"type", "error"}, {"error", error}};
  return {{"error", error}};
}

}  // namespace toolway::tools::messages
