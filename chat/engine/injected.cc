#include "chat/engine/injected.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/utf8.h"
#include "chat/history/blocks.h"
#include "chat/history/shown.h"

namespace toolway::chat::engine {
namespace {

constexpr std::size_t kMaxTexts = 4;

std::string line_of(std::string_view name, std::string_view state, const std::string& text,
                    std::size_t most) {
  auto shown = history::without_forged_markers(text);
  shorten(shown, most);
  return fmt::format("[[SYSTEM: {} {}: {}]]", name, state, shown);
}

std::string shortened_note(std::size_t bytes) {
  return fmt::format("\n\n[This is only the beginning: the whole result has {} bytes.]", bytes);
}

/// Adds a line, if there is room for it.
bool add(std::string& text, const std::string& line, std::size_t most) {
  if (!text.empty() && text.size() + line.size() > most) return false;
  text += (text.empty() ? "" : "\n") + line;
  return true;
}

}  // namespace

void shorten(std::string& text, std::size_t most) {
  const auto bytes = text.size();
  if (bytes <= most) return;
  text.resize(utf8_prefix(text, most).size());
  text += shortened_note(bytes);
}

void shorten(history::CallResult& result, std::size_t most) {
  const auto bytes = result.text.size();
  if (bytes > most) history::cut_text(result, most, shortened_note(bytes));
}

history::Message injected_message(const std::vector<EndedCall>& ended,
                                  const std::vector<CallProgress>& progress, std::size_t most) {
  history::Message message{.role = history::Role::kInjected};
  for (const auto& call : ended) {
    const auto line = line_of(call.name, call.is_error ? "failed" : "completed", call.text, most);
    if (!add(message.text, line, most * kMaxTexts)) return message;
    message.about.push_back(call.ran_as);
  }
  for (const auto& call : progress) {
    if (!add(message.text, line_of(call.name, "is running", call.text, most), most * kMaxTexts))
      return message;
    message.progress.push_back(call.told);
  }
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
