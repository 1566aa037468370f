#include "tools/http/sse_reader.h"

#include <fmt/format.h>

#include "base/text.h"

namespace toolway::tools::http {

Result<void> SseReader::feed(std::string_view bytes) {
  return lines_.feed(bytes, [this](std::string_view text) { return line(text); });
}

Result<void> SseReader::line(std::string_view text) {
  if (std::exchange(first_, false) && text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (text.empty()) {
    if (!event_.id.empty()) last_id_ = event_.id;
    if (has_data_) handler_(event_);
    event_ = {};
    has_data_ = false;
    return {};
  }
  if (text.front() == ':') return {};
  const auto colon = text.find(':');
  const auto field = text.substr(0, colon);
  auto value = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "id" && value.find('\0') == std::string_view::npos) event_.id = value;
  if (field == "event") event_.type = value;
  if (field == "retry" && value.size() <= 9) {
    int ms = 0;
    if (parse_number(value, ms) && ms >= 0) retry_ = std::chrono::milliseconds(ms);
  }
  if (field != "data") return {};
  if (event_.data.size() + value.size() + 1 > max_) {
    return fail(ErrorCode::kPayloadTooLarge, fmt::format("an event has more than {} bytes", max_));
  }
  if (has_data_) event_.data += '\n';
  event_.data += value;
  has_data_ = true;
  return {};
}

}  // namespace toolway::tools::http
