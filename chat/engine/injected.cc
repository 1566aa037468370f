#include "chat/engine/injected.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/utf8.h"
#include "tools/messages/blocks.h"
#include "tools/messages/shown.h"

namespace toolway::chat::engine {
namespace {

using tools::messages::CallResult;

constexpr std::size_t kMaxTexts = 4;

/// A line of the message, with what a model can see of it.
CallResult line_of(std::string_view name, std::string_view state, CallResult said,
                   std::size_t most) {
  auto line = tools::messages::inside_marker(std::move(said));
  shorten(line, most);
  const auto before = fmt::format("[[SYSTEM: {} {}: ", name, state);
  for (auto& block : line.blocks) block.at += before.size();
  line.text = before + line.text + "]]";
  return line;
}

std::string shortened_note(std::size_t bytes) {
  return fmt::format("\n\n[This is only the beginning: the whole result has {} bytes.]", bytes);
}

/// Adds a line, if there is room for it.
bool add(tools::messages::Message& message, CallResult line, std::size_t most) {
  auto& text = message.text;
  if (!text.empty() && text.size() + line.text.size() > most) return false;
  if (!text.empty()) text += '\n';
  for (auto& block : line.blocks) {
    block.at += text.size();
    message.blocks.push_back(std::move(block));
  }
  text += line.text;
  return true;
}

}  // namespace

void shorten(std::string& text, std::size_t most) {
  const auto bytes = text.size();
  if (bytes <= most) return;
  text.resize(utf8_prefix(text, most).size());
  text += shortened_note(bytes);
}

void shorten(tools::messages::CallResult& result, std::size_t most) {
  const auto bytes = result.text.size();
  if (bytes > most) tools::messages::cut_text(result, most, shortened_note(bytes));
}

tools::messages::Message injected_message(const std::vector<EndedCall>& ended,
                                          const std::vector<CallProgress>& progress,
                                          std::size_t most) {
  tools::messages::Message message{.role = tools::messages::Role::kInjected};
  const auto tell = [&](std::string_view name, std::string_view state, CallResult said) {
    return add(message, line_of(name, state, std::move(said), most), most * kMaxTexts);
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
