#include "cli/client/sse_parser.h"

namespace toolway::cli {

void SseParser::feed(std::string_view bytes) {
  buffer_.append(bytes);
  std::size_t begin = 0;
  for (auto end = buffer_.find('\n'); end != std::string::npos; end = buffer_.find('\n', begin)) {
    auto text = std::string_view(buffer_).substr(begin, end - begin);
    if (text.ends_with('\r')) text.remove_suffix(1);
    line(text);
    begin = end + 1;
  }
  buffer_.erase(0, begin);
}

void SseParser::line(std::string_view text) {
  if (text.empty()) {
    if (!event_.id.empty()) last_id_ = event_.id;
    if (!event_.data.empty()) handler_(event_);
    event_ = {};
    return;
  }
  if (text.front() == ':') return;
  const auto colon = text.find(':');
  const auto field = text.substr(0, colon);
  auto value = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "id") event_.id = value;
  if (field == "event") event_.type = value;
  if (field == "data") {
    if (!event_.data.empty()) event_.data += '\n';
    event_.data += value;
  }
}

}  // namespace toolway::cli
