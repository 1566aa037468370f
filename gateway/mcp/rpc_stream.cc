#include "gateway/mcp/rpc_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "gateway/mcp/rpc_answer.h"
#include "gateway/mcp/sealed.h"

namespace toolway::gateway::mcp {
namespace {

/// Clients give up after a minute, or 30 s.
constexpr std::chrono::seconds kSilence{10};

constexpr std::array<std::string_view, 8> kLevels{"debug", "info",     "notice", "warning",
                                                  "error", "critical", "alert",  "emergency"};

double number_at(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

/// Where a stream is that has shown nothing yet.
ShownUpTo begins_at(const StreamedCall& call) {
  if (!call.partly.event_id.empty()) return call.partly;
  return {.event_id = call.after == wire::EventId{} ? "0" : call.after.text()};
}

}  // namespace

bool is_level(std::string_view level) { return std::ranges::find(kLevels, level) != kLevels.end(); }

bool shows_log(std::string_view least, std::string_view level) {
  const auto asked = std::ranges::find(kLevels, least);
  const auto said = std::ranges::find(kLevels, level);
  return asked != kLevels.end() && said != kLevels.end() && said >= asked;
}

RpcStream::RpcStream(std::unique_ptr<wire::EventStream> events, StreamedCall call,
                     const Clock& clock)
    : events_(std::move(events)),
      clock_(clock),
      call_(std::move(call)),
      reader_([this](const tools::http::SseEvent& event) {
        auto json = parse_json(event.data);
        if (json && json->is_object()) taken_.push_back({event.type, std::move(*json)});
      }),
      shown_(call_.shown),
      shown_at_(begins_at(call_)) {}

loop::Task<RpcStream::Turn> RpcStream::next(std::string& out) {
  if (!std::exchange(begun_, true) && call_.primes)
    out += fmt::format("id: {}\ndata:\n\n",
                       stream_event_id(call_.stream_id, begins_at(call_), call_.shown));
  const auto quiet_at = clock_.monotonic() + kSilence;
  for (;;) {
    out += std::exchange(out_, {});
    if (!out.empty()) co_return Turn::kEvents;
    if (ended_) co_return Turn::kEnded;
    if (call_.task_at && clock_.monotonic() >= *call_.task_at) {
      ended_ = true;
      message(call_.task);
      continue;
    }
    events_->quiet_after(patience());
    auto turn = co_await take_some();
    if (!out_.empty()) continue;
    if (turn == Turn::kQuiet && call_.task_at && clock_.monotonic() < quiet_at) continue;
    // What comes is not for this client.
    if (turn == Turn::kEvents && clock_.monotonic() >= quiet_at) turn = Turn::kQuiet;
    if (turn == Turn::kQuiet && !call_.progress_token.is_null()) {
      co_await show_life();
    } else if (turn != Turn::kEvents) {
      co_return turn;
    }
  }
}

std::chrono::milliseconds RpcStream::patience() const {
  if (!call_.task_at) return kSilence;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(*call_.task_at - clock_.monotonic());
  return std::min<std::chrono::milliseconds>(kSilence, left);
}

/// Into `out_`, if there is something to show.
loop::Task<RpcStream::Turn> RpcStream::take_some() {
  std::string raw;
  const auto turn = co_await events_->next(raw);
  if (raw.empty()) co_return turn;
  if (!reader_.feed(raw)) co_return Turn::kEnded;
  auto taken = std::exchange(taken_, {});
  for (auto& event : taken) co_await take(std::move(event));
  co_return turn;
}

loop::Task<void> RpcStream::gather(std::chrono::milliseconds most) {
  const auto late = clock_.monotonic() + most;
  auto turn = Turn::kEvents;
  for (auto now = clock_.monotonic(); !ended_ && turn == Turn::kEvents && now < late;
       now = clock_.monotonic()) {
    events_->quiet_after(std::chrono::ceil<std::chrono::milliseconds>(late - now));
    turn = co_await take_some();
  }
}

loop::Task<std::optional<std::string>> RpcStream::only_answer(std::chrono::milliseconds soon) {
  events_->quiet_after(soon);
  const auto late = clock_.monotonic() + soon;
  auto turn = Turn::kEvents;
  while (out_.empty() && turn == Turn::kEvents && clock_.monotonic() < late)
    turn = co_await take_some();
  if (!ended_ || only_.empty()) co_return std::nullopt;
  out_.clear();
  co_return std::move(only_);
}

loop::Task<void> RpcStream::left() {
  if (!ended_ && call_.left) co_await call_.left();
}

loop::Task<void> RpcStream::take(Event event) {
  if (ended_) co_return;
  const auto at = text_at(event.json, "id");
  if (event.type == "progress") co_return show_progress(event.json);
  if (event.type == "log") co_return show_log(event.json);
  if (event.type == "completed") {
    ended_ = true;
    const auto answer = co_await call_.answer(std::move(event.json));
    co_return message(answer, {.event_id = at});
  }
  const bool held = event.type == "approval_requested";
  if (held || event.type == "started") held_ = held;
  if (event.type == "approval_decided") held_ = !event.json.value("approved", false);
  const bool runs_on = event.type == "started" || event.type == "input_provided";
  if (call_.status && (held || runs_on || event.type == "input_requested")) co_await show_status();
  if (!held && event.type != "input_requested") co_return;
  if (event.json.contains("parked")) co_return;
  const auto before = at == call_.partly.event_id ? call_.partly.questions : 0;
  auto asked = co_await call_.ask(std::move(event.json), before);
  ended_ = asked_ = asked.ends;
  for (const auto& one : asked.messages)
    message(one.text,
            {.event_id = at, .questions = &one == &asked.messages.back() ? 0 : one.questions});
}

/// Of a stream that is followed late, events are older than what they changed.
loop::Task<void> RpcStream::show_status() {
  auto status = co_await call_.status();
  if (status.empty() || status == status_) co_return;
  message(status);
  status_ = std::move(status);
}

void RpcStream::show_progress(const Json& event) {
  const double progress = number_at(event, "progress");
  if (call_.progress_token.is_null() || progress <= shown_) return;
  shown_ = progress;
  total_ = number_at(event, "total");
  progress_message(text_at(event, "message"), {.event_id = text_at(event, "id")});
}

/// Progress has to rise, and this is none: it rises by next to nothing.
loop::Task<void> RpcStream::show_life() {
  if (!held_ && call_.held) held_ = co_await call_.held();
  constexpr double kNextToNothing = 1e-6;
  shown_ = shown_ < 0 ? 0 : shown_ + kNextToNothing;
  // Its id has the event before it, so that a resumed stream rises from here.
  progress_message(held_.value_or(false) ? "it waits for approval" : "still running", shown_at_);
}

void RpcStream::progress_message(std::string text, const ShownUpTo& at) {
  Json params{{"progressToken", call_.progress_token}, {"progress", shown_}};
  if (total_ > 0) params["total"] = total_;
  if (!text.empty()) params["message"] = std::move(text);
  message(notification_text("notifications/progress", std::move(params)), at);
}

void RpcStream::show_log(const Json& event) {
  const auto level = text_at(event, "level");
  if (!shows_log(call_.log_level, level)) return;
  Json params{{"level", level}, {"logger", "tool"}, {"data", text_at(event, "message")}};
  message(notification_text("notifications/message", std::move(params)),
          {.event_id = text_at(event, "id")});
}

void RpcStream::message(const std::string& text, const ShownUpTo& at) {
  only_ = shown_any_ ? std::string() : text;
  shown_any_ = true;
  if (!at.event_id.empty()) {
    shown_at_ = at;
    if (!call_.stream_id.empty())
      out_ += fmt::format("id: {}\n", stream_event_id(call_.stream_id, at, shown_));
  }
  out_ += event_text(text);
}

}  // namespace toolway::gateway::mcp
