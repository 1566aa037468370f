#include "gateway/mcp/rpc_stream.h"

#include <algorithm>
#include <array>
#include <utility>

#include "gateway/mcp/rpc_request.h"

namespace toolway::gateway::mcp {
namespace {

constexpr std::array<std::string_view, 8> kLevels{"debug", "info",     "notice", "warning",
                                                  "error", "critical", "alert",  "emergency"};

std::string text_at(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double number_at(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

}  // namespace

bool shows_log(std::string_view least, std::string_view level) {
  const auto asked = std::ranges::find(kLevels, least);
  const auto said = std::ranges::find(kLevels, level);
  return asked != kLevels.end() && said != kLevels.end() && said >= asked;
}

RpcStream::RpcStream(std::unique_ptr<wire::EventStream> events, StreamedCall call)
    : events_(std::move(events)),
      call_(std::move(call)),
      reader_([this](const tools::http::SseEvent& event) { take(event); }) {}

loop::Task<RpcStream::Turn> RpcStream::next(std::string& out) {
  for (;;) {
    if (ended_) co_return Turn::kEnded;
    std::string raw;
    const auto turn = co_await events_->next(raw);
    if (!raw.empty()) {
      const auto read = reader_.feed(raw);
      if (!read) co_return Turn::kEnded;
      out += std::exchange(out_, {});
      if (!out.empty()) co_return Turn::kEvents;
    }
    if (turn != Turn::kEvents) co_return turn;
  }
}

void RpcStream::take(const tools::http::SseEvent& event) {
  if (ended_) return;
  const auto json = parse_json(event.data);
  if (!json || !json->is_object()) return;
  if (event.type == "progress") return show_progress(*json);
  if (event.type == "log") return show_log(*json);
  if (event.type != "completed") return;
  ended_ = true;
  message(answer_text(call_.id, call_.result(*json)));
}

void RpcStream::show_progress(const Json& event) {
  const double progress = number_at(event, "progress");
  if (call_.progress_token.is_null() || progress <= shown_) return;
  shown_ = progress;
  Json params{{"progressToken", call_.progress_token}, {"progress", progress}};
  if (const double total = number_at(event, "total"); total > 0) params["total"] = total;
  if (auto text = text_at(event, "message"); !text.empty()) params["message"] = std::move(text);
  message(toolway::mcp::encode(
      toolway::mcp::Notification{.method = "notifications/progress", .params = std::move(params)}));
}

void RpcStream::show_log(const Json& event) {
  const auto level = text_at(event, "level");
  if (!shows_log(call_.log_level, level)) return;
  Json params{{"level", level}, {"logger", "tool"}, {"data", text_at(event, "message")}};
  message(toolway::mcp::encode(
      toolway::mcp::Notification{.method = "notifications/message", .params = std::move(params)}));
}

void RpcStream::message(const std::string& text) {
  out_ += "event: message\ndata: ";
  out_ += text;
  out_ += "\n\n";
}

}  // namespace toolway::gateway::mcp
