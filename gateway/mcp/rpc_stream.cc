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
      reader_([this](const tools::http::SseEvent& event) {
        auto json = parse_json(event.data);
        if (json && json->is_object())
          taken_.push_back({std::string(event.type), std::move(*json)});
      }) {}

loop::Task<RpcStream::Turn> RpcStream::next(std::string& out) {
  for (;;) {
    if (!out_.empty()) {
      out += std::exchange(out_, {});
      co_return Turn::kEvents;
    }
    if (ended_) co_return Turn::kEnded;
    std::string raw;
    const auto turn = co_await events_->next(raw);
    if (!raw.empty()) {
      if (!reader_.feed(raw)) co_return Turn::kEnded;
      auto taken = std::exchange(taken_, {});
      for (auto& event : taken) co_await take(std::move(event));
    }
    if (out_.empty() && turn != Turn::kEvents) co_return turn;
  }
}

loop::Task<std::optional<std::string>> RpcStream::only_answer() {
  std::string first;
  co_await next(first);
  if (ended_ && !only_.empty()) co_return std::move(only_);
  out_ = std::move(first);
  co_return std::nullopt;
}

loop::Task<void> RpcStream::take(Event event) {
  if (ended_) co_return;
  if (event.type == "progress") co_return show_progress(event.json);
  if (event.type == "log") co_return show_log(event.json);
  if (event.type == "completed") {
    ended_ = true;
    co_return message(call_.answer(event.json));
  }
  if (event.type != "input_requested") co_return;
  auto asked = co_await call_.ask(std::move(event.json));
  ended_ = asked.ends;
  for (const auto& text : asked.messages) message(text);
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
  only_ = shown_any_ ? std::string() : text;
  shown_any_ = true;
  out_ += "event: message\ndata: ";
  out_ += text;
  out_ += "\n\n";
}

}  // namespace toolway::gateway::mcp
