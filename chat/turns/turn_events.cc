#include "chat/turns/turn_events.h"

#include <utility>

namespace toolway::chat::turns {
namespace {

constexpr std::chrono::duration<double> kReportInterval(1 / kReportRate.per_second);

}  // namespace

engine::Events TurnEvents::events() {
  return {.on_text = [this](std::string_view piece) { text(piece); },
          .on_call =
              [this](const history::Call& call, const std::string& name) {
                close_text();
                add({{"type", "tool_call"}, {"id", call.id}, {"tool", name}});
                status("Calling tool: " + name);
              },
          .on_result =
              [this](const history::CallResult& result) {
                Json part{{"type", "tool_result"},
                          {"id", result.call_id},
                          {"call_id", result.ran_as},
                          {"is_error", result.is_error}};
                if (result.detached) part["detached"] = true;
                add(std::move(part));
              },
          .on_status = [this](std::string_view said) { status(said); }};
}

void TurnEvents::status(std::string_view said) {
  close_text();
  add({{"type", "status"}, {"text", said}});
  last_status_ = said;
  flush();
}

void TurnEvents::usage(const history::Usage& usage) {
  close_text();
  add({{"type", "usage"}, {"input", usage.input}, {"output", usage.output}});
}

void TurnEvents::text(std::string_view piece) {
  text_ += piece;
  const auto now = clock_.monotonic();
  if (!flushed_ || now - *flushed_ >= kReportInterval) flush();
}

void TurnEvents::close_text() {
  if (text_.empty()) return;
  parts_.push_back({{"type", "text"}, {"text", std::exchange(text_, {})}});
}

void TurnEvents::add(Json part) {
  close_text();
  parts_.push_back(std::move(part));
}

void TurnEvents::flush() {
  close_text();
  if (parts_.empty()) return;
  flushed_ = clock_.monotonic();
  progress_.report({.progress = ++reports_,
                    .message = std::exchange(last_status_, {}),
                    .data = std::exchange(parts_, Json::array())});
}

}  // namespace toolway::chat::turns
