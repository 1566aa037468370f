#include "tests/chaos/mcp_wire.h"

#include "tools/http/sse_reader.h"

namespace toolway::chaos {
namespace {

namespace http = tools::http;

/// Messages from an answer, be it a stream or one piece.
class Messages final : public http::HttpReceiver {
 public:
  Messages(const McpWire::Take& take, std::chrono::steady_clock::time_point until)
      : take_(take),
        until_(until),
        reader_([this](const http::SseEvent& event) { read(event.data, event.id); }) {}

  Want on_head(const http::HttpHead& head) override {
    reply.status = head.status;
    if (const auto* session = http::find_header(head.headers, "MCP-Session-Id"))
      reply.mcp_session = *session;
    const auto* type = http::find_header(head.headers, "Content-Type");
    streams_ = type != nullptr && type->starts_with("text/event-stream");
    return Want::kMore;
  }
  Want on_body(std::string_view piece) override {
    if (!streams_) {
      body_ += piece;
      return Want::kMore;
    }
    const bool fed = reader_.feed(piece).has_value();
    // After letting go, what came in the same piece was not read.
    if (!reply.let_go) reply.last_id = reader_.last_id();
    reply.let_go = reply.let_go || std::chrono::steady_clock::now() >= until_;
    return fed && !reply.let_go ? Want::kMore : Want::kNoMore;
  }
  void end() {
    if (streams_ || body_.empty()) return;
    read(body_, {});
  }

  McpWire::Reply reply{};

 private:
  void read(const std::string& text, const std::string& id) {
    auto json = parse_ordered_json(text, 1000);
    if (!json || reply.let_go) return;
    if (!streams_) reply.json = *json;
    if (!id.empty()) reply.last_id = id;
    if (json->is_object() && json->contains("jsonrpc")) reply.let_go = !take_(*json, id);
  }

  const McpWire::Take& take_;
  const std::chrono::steady_clock::time_point until_;
  http::SseReader reader_;
  std::string body_;
  bool streams_ = false;
};

}  // namespace

McpWire::Reply McpWire::send(const Sent& sent, const Take& take) {
  if (!engine_)
    if (auto engine = http::HttpEngine::start()) engine_ = std::move(*engine);
  Messages messages(take, sent.until);
  auto client = entrance_.client(sent.gateway, user_, sent.first_byte, engine_);
  if (!client) return {.end = client.error().message};
  if (!sent.body.empty()) {
    const auto done = (*client)->post({.target = sent.target,
                                       .body = sent.body,
                                       .headers = sent.headers,
                                       .first_byte = sent.first_byte,
                                       .silence = sent.silence},
                                      messages);
    messages.end();
    if (!done) messages.reply.end = done.error().message;
    return std::move(messages.reply);
  }
  bool opened = false;
  const auto answer = (*client)->stream(
      sent.target, sent.headers, sent.silence, [&] { opened = true; },
      [&](std::string_view piece) {
        if (messages.reply.status == 0)
          messages.on_head({.status = 200, .headers = {{"Content-Type", "text/event-stream"}}});
        return messages.on_body(piece) == http::HttpReceiver::Want::kMore;
      });
  auto reply = std::move(messages.reply);
  if (opened) reply.status = 200;
  if (!answer) {
    reply.end = answer.error().message;
  } else if (answer->status != 200) {
    reply.status = answer->status;
    reply.json = answer->json();
  }
  return reply;
}

}  // namespace toolway::chaos
