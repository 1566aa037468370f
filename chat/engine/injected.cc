#include "chat/engine/injected.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "chat/engine/shortened.h"
#include "chat/window/tokens.h"
#include "tools/messages/blocks.h"
#include "tools/messages/shown.h"

namespace toolway::chat::engine {
namespace {

using tools::messages::CallResult;

/// What a message says is as long as this many calls say.
constexpr double kMaxTexts = 4;

/// A line of the message, with what a model can see of it.
CallResult line_of(std::string_view name, std::string_view state, CallResult said, double tokens) {
  auto line = tools::messages::inside_marker(std::move(said));
  shorten(line, line.text.size(), tokens);
  const auto before = fmt::format("[[SYSTEM: {} {}: ", name, state);
  for (auto& block : line.blocks) block.at += before.size();
  line.text = before + line.text + "]]";
  return line;
}

/// Adds a line.
void add(tools::messages::Message& message, CallResult line) {
  auto& text = message.text;
  if (!text.empty()) text += '\n';
  for (auto& block : line.blocks) {
    block.at += text.size();
    message.blocks.push_back(std::move(block));
  }
  text += line.text;
}

}  // namespace

tools::messages::Message injected_message(const std::vector<EndedCall>& ended,
                                          const std::vector<CallProgress>& progress,
                                          double tokens) {
  tools::messages::Message message{.role = tools::messages::Role::kInjected};
  auto left = tokens * kMaxTexts;
  const auto tell = [&](std::string_view name, std::string_view state, CallResult said) {
    auto line = line_of(name, state, std::move(said), tokens);
    left -= window::tokens_of(line.text).most;
    const bool has_room = left >= 0 || message.text.empty();
    if (has_room) add(message, std::move(line));
    return has_room;
  };
  bool room = true;
  for (const auto& call : ended) {
    room = room && tell(call.name, call.is_error ? "failed" : "completed",
                        {.call_id = {}, .text = call.text, .blocks = call.blocks});
    if (room) message.about.push_back(call.ran_as);
  }
  for (const auto& call : progress) {
    room = room && tell(call.name, "is running", {.call_id = {}, .text = call.text});
    if (room) message.progress.push_back(call.told);
  }
  tools::messages::bound_blocks(message, tools::messages::kMaxMessageBlockBytes);
  return message;
}

std::size_t heard_of(const std::vector<std::string>& calls, const std::vector<EndedCall>& ended,
                     const std::vector<std::string>& told) {
  const auto left = std::ranges::find_if(ended, [&](const EndedCall& call) {
    return std::ranges::find(told, call.ran_as) == told.end();
  });
  if (left == ended.end()) return calls.size();
  return static_cast<std::size_t>(std::ranges::find(calls, left->ran_as) - calls.begin());
}

}  // namespace toolway::chat::engine
