#include "tools/messages/shown.h"

#include <algorithm>

#include "base/strict_json.h"
#include "base/text.h"
#include "base/utf8.h"

namespace toolway::tools::messages {
namespace {

constexpr std::size_t kMaxArgumentBytes = 512UL << 10;
constexpr std::size_t kMaxInvalidShown = 1000;
constexpr std::size_t kMaxToolName = 64;

/// Whether `[[` at the beginning of `text` begins a marker: `[[SYSTEM`, in any case, with blanks.
bool begins_marker(std::string_view text) {
  constexpr std::string_view kWord = "system";
  text.remove_prefix(2);
  const auto word = text.find_first_not_of(" \t\r\n");
  return word != std::string_view::npos && same_word(text.substr(word, kWord.size()), kWord);
}

}  // namespace

std::string without_forged_markers(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto next = std::min(text.find("[[", at), text.size());
    shown += text.substr(at, next - at);
    if (next == text.size()) break;
    if (begins_marker(text.substr(next))) {
      shown += "[\\[";
      at = next + 2;
    } else {
      shown += '[';  // of `[[[SYSTEM`, the marker begins one later
      at = next + 1;
    }
  }
  return shown;
}

std::string inside_marker(std::string_view text) {
  std::string shown;
  for (const char c : without_forged_markers(text)) {
    if (c == ']' && shown.ends_with(']')) shown += '\\';
    shown += c;
  }
  return shown;
}

std::string shown_tool_name(std::string_view name) {
  std::string shown(name.substr(0, kMaxToolName));
  for (char& c : shown) {
    const bool fits = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                      c == '_' || c == '-';
    if (!fits) c = '_';
  }
  return shown.empty() ? "unnamed" : shown;
}

std::string shown_arguments(std::string_view arguments) {
  if (arguments.find_first_not_of(" \t\r\n") == std::string_view::npos) return "{}";
  if (arguments.size() <= kMaxArgumentBytes) {
    const auto parsed = parse_strict_json(arguments);
    if (parsed && parsed->is_object()) return std::string(arguments);
  }
  return to_text(OrderedJson{{"INVALID_JSON", utf8_prefix(arguments, kMaxInvalidShown)}});
}

bool is_thinking(const Part& part) {
  if (part.kind != Part::Kind::kOpaque || !part.native || !part.native->value.is_object())
    return false;
  const auto type = part.native->value.find("type");
  return type == part.native->value.end() || *type == "thinking" || *type == "redacted_thinking" ||
         *type == "reasoning";
}

bool is_blank(std::string_view text) { return trimmed(text, " \t\r\n").empty(); }

bool says_something(const Message& message) {
  return std::any_of(message.parts.begin(), message.parts.end(), [](const Part& part) {
    if (part.kind == Part::Kind::kText) return !is_blank(part.text);
    return !is_thinking(part);
  });
}

}  // namespace toolway::tools::messages
