#include "gateway/wire/media_type.h"

#include "base/text.h"

namespace toolway::gateway::wire {
namespace {

/// Whether a list of media types holds `type`.
bool lists(std::string_view accept, std::string_view type) {
  while (!accept.empty()) {
    const auto comma = accept.find(',');
    const auto item = accept.substr(0, comma);
    if (same_word(trimmed(item.substr(0, item.find(';'))), type)) return true;
    accept = comma == std::string_view::npos ? std::string_view() : accept.substr(comma + 1);
  }
  return false;
}

}  // namespace

EventFormat event_format(std::string_view accept) {
  return lists(accept, "application/json") && !lists(accept, "text/event-stream")
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
