#include "chat/turns/turn_events.h"

#include <utility>

namespace toolway::chat::turns {
namespace {

constexpr auto kReportInterval = std::chrono::duration_cast<MonotonicTime::duration>(
    std::chrono::duration<double>(1 / kReportRate.per_second));

}  // namespace

engine::Events TurnEvents::events() {
  auto events = told_again();
  events.on_call = [this](const tools::messages::Call& call, const std::string& name) {
    add_call(call, name);
    status("Calling tool: " + name);
  };
  events.on_status = [this](std::string_view said) { status(said); };
  return events;
}

engine::Events TurnEvents::told_again() {
  return {.on_text = [this](std::string_view piece) { text(piece); },
          .on_call = [this](const tools::messages::Call& call,
                            const std::string& name) { add_call(call, name); },
          .on_result = [this](const tools::messages::CallResult& result) { add_result(result); }};
}

void TurnEvents::add_call(const tools::messages::Call& call, const std::string& name) {
  add({{"type", "tool_call"}, {"id", call.id}, {"tool", name}});
}

void TurnEvents::add_result(const tools::messages::CallResult& result) {
  Json part{{"type", "tool_result"},
            {"id", result.call_id},
            {"call_id", result.ran_as},
            {"is_error", result.is_error}};
  if (result.detached) part["detached"] = true;
  add(std::move(part));
}

void TurnEvents::status(std::string_view said) {
  const MutexLock lock(mutex_);
  push({{"type", "status"}, {"text", said}});
  last_status_ = said;
  report();
}

void TurnEvents::usage(const tools::messages::Usage& usage) {
  add({{"type", "usage"}, {"input", usage.input}, {"output", usage.output}});
}

void TurnEvents::text(std::string_view piece) {
  MonotonicTime due;
  {
    const MutexLock lock(mutex_);
    text_ += piece;
    const auto now = clock_.monotonic();
    if (!reported_ || now - *reported_ >= kReportInterval) return report();
    if (std::exchange(held_, true)) return;
    // Of one that a tick sent, ten a second stay ten.
    due = tick_before(*reported_) + kReportInterval;
  }
  // The ticker has its own lock while it calls `flush`.
  ticker_.hold(this, due, [this] { flush(); });
}

void TurnEvents::close_text() {
  if (text_.empty()) return;
  parts_.push_back({{"type", "text"}, {"text", std::exchange(text_, {})}});
}

void TurnEvents::push(Json part) {
  close_text();
  parts_.push_back(std::move(part));
}

void TurnEvents::add(Json part) {
  const MutexLock lock(mutex_);
  push(std::move(part));
}

void TurnEvents::flush() {
  const MutexLock lock(mutex_);
  report();
}

void TurnEvents::report() {
  held_ = false;
  close_text();
  if (parts_.empty()) return;
  reported_ = clock_.monotonic();
  progress_.report({.progress = ++reports_,
                    .message = std::exchange(last_status_, {}),
                    .data = std::exchange(parts_, Json::array())});
}

}  // namespace toolway::chat::turns
