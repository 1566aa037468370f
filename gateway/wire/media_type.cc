#include "gateway/wire/media_type.h"

#include "base/text.h"

namespace toolway::gateway::wire {
namespace {

/// The text before the next `separator`, which leaves `text` with what follows it.
std::string_view take_until(std::string_view& text, char separator) {
  const auto at = text.find(separator);
  const auto item = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return trimmed(item);
}

/// `q=0`, `q=0.000`.
bool is_zero_weight(std::string_view parameter) {
  if (!same_word(take_until(parameter, '='), "q")) return false;
  const auto value = trimmed(parameter);
  return value.starts_with('0') && value.find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

bool names_type(std::string_view accept, std::string_view type) {
  while (!accept.empty()) {
    auto item = take_until(accept, ',');
    if (!same_word(take_until(item, ';'), type)) continue;
    bool refused = false;
    while (!item.empty()) refused = is_zero_weight(take_until(item, ';')) || refused;
    if (!refused) return true;
  }
  return false;
}

EventFormat event_format(std::string_view accept) {
  return names_type(accept, "application/json") && !names_type(accept, "text/event-stream")
             ? EventFormat::kPage
             : EventFormat::kStream;
}

bool is_json_type(std::string_view content_type) {
  auto semicolon = content_type.find(';');
  if (!same_word(trimmed(content_type.substr(0, semicolon)), "application/json")) return false;
  while (semicolon != std::string_view::npos) {
    content_type.remove_prefix(semicolon + 1);
    semicolon = content_type.find(';');
    const auto parameter = trimmed(content_type.substr(0, semicolon));
    const auto equals = parameter.find('=');
    if (!same_word(parameter.substr(0, equals), "charset"))
      continue;  // RFC 8259 §11 has no other parameters
    auto value =
        equals == std::string_view::npos ? std::string_view() : parameter.substr(equals + 1);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    if (!same_word(value, "utf-8") && !same_word(value, "utf8")) return false;
  }
  return true;
}

}  // namespace toolway::gateway::wire
