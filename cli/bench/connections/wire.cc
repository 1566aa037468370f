#include "cli/bench/connections/wire.h"

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace toolway::cli::bench::connections {
namespace {

int status_of(std::string_view block) {
  int status = 0;
  if (block.size() > 12 && block.starts_with("HTTP/1.1 "))
    std::from_chars(block.data() + 9, block.data() + 12, status);
  return status;
}

/// As string_view::find, which stops at every quote: in half the instructions.
std::size_t find_name(std::string_view json, std::string_view quoted_name, std::size_t from) {
  if (from >= json.size()) return std::string_view::npos;
  const void* at =
      memmem(json.data() + from, json.size() - from, quoted_name.data(), quoted_name.size());
  return at == nullptr ? std::string_view::npos
                       : static_cast<std::size_t>(static_cast<const char*>(at) - json.data());
}

}  // namespace

std::string_view header_of(std::string_view head, std::string_view name) {
  for (auto at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n", at + 2)) {
    const auto line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    if (line.size() <= name.size() || line[name.size()] != ':' ||
        strncasecmp(line.data(), name.data(), name.size()) != 0)
      continue;
    auto value = line.substr(name.size() + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    return value;
  }
  return {};
}

WireAnswer parse_answer(std::string_view buffer) {
  const auto end = buffer.find("\r\n\r\n");
  if (end == std::string_view::npos) return {};
  const auto block = buffer.substr(0, end);
  const auto length_text = header_of(block, "content-length");
  std::size_t length = 0;
  std::from_chars(length_text.data(), length_text.data() + length_text.size(), length);
  if (buffer.size() < end + 4 + length) return {};
  return {.status = status_of(block),
          .head = block,
          .body = buffer.substr(end + 4, length),
          .size = end + 4 + length};
}

std::string_view next_text_field(std::string_view json, std::string_view quoted_name,
                                 std::size_t& from) {
  auto at = find_name(json, quoted_name, from);
  if (at == std::string_view::npos) return {};
  at += quoted_name.size();
  while (at < json.size() && (json[at] == ':' || json[at] == ' ')) ++at;
  if (at >= json.size() || json[at] != '"') {
    from = at;
    return {};
  }
  const auto end = json.find('"', at + 1);
  if (end == std::string_view::npos) return {};
  from = end + 1;
  return json.substr(at + 1, end - at - 1);
}

std::int32_t next_number_field(std::string_view json, std::string_view quoted_name) {
  auto at = find_name(json, quoted_name, 0);
  if (at == std::string_view::npos) return 0;
  at += quoted_name.size();
  while (at < json.size() && (json[at] == ':' || json[at] == ' ')) ++at;
  std::int32_t value = 0;
  std::from_chars(json.data() + at, json.data() + json.size(), value);
  return value;
}

void WireEvents::reset() {
  raw_.clear();
  text_.clear();
  chunk_left_ = 0;
  chunked_ = open_ = ended_ = false;
}

bool WireEvents::feed(std::string_view bytes, const std::function<void(const Event&)>& handler) {
  raw_.append(bytes);
  if (!open_) {
    const auto end = raw_.find("\r\n\r\n");
    if (end == std::string::npos) return raw_.size() < 64 * 1024;
    const std::string_view block(raw_.data(), end);
    if (status_of(block) != 200) return false;
    chunked_ = header_of(block, "transfer-encoding") == "chunked";
    raw_.erase(0, end + 4);
    open_ = true;
  }
  if (chunked_) {
    if (!decode_chunks()) return false;
  } else {
    text_.append(raw_);
    raw_.clear();
  }
  scan(handler);
  return true;
}

bool WireEvents::decode_chunks() {
  if (ended_) {
    raw_.clear();  // trailers, and the empty line after them
    return true;
  }
  std::size_t at = 0;
  for (;;) {
    if (chunk_left_ > 0) {
      // The last two bytes of a chunk are its line end.
      const auto available = std::min(chunk_left_, raw_.size() - at);
      const auto text = available > 0 && chunk_left_ > 2 ? std::min(available, chunk_left_ - 2) : 0;
      text_.append(raw_, at, text);
      at += available;
      chunk_left_ -= available;
      if (chunk_left_ > 0) break;
    }
    const auto line = raw_.find("\r\n", at);
    if (line == std::string::npos) break;
    std::size_t size = 0;
    const auto [stopped, error] = std::from_chars(raw_.data() + at, raw_.data() + line, size, 16);
    if (error != std::errc()) return false;
    at = line + 2;
    if (size == 0) {
      ended_ = true;
      break;
    }
    chunk_left_ = size + 2;
  }
  raw_.erase(0, at);
  return true;
}

void WireEvents::scan(const std::function<void(const Event&)>& handler) {
  std::size_t begin = 0;
  for (auto end = text_.find("\n\n"); end != std::string::npos; end = text_.find("\n\n", begin)) {
    std::string_view block(text_.data() + begin, end - begin);
    begin = end + 2;
    Event event;
    while (!block.empty()) {
      const auto line = block.substr(0, block.find('\n'));
      block.remove_prefix(std::min(block.size(), line.size() + 1));
      if (line.starts_with("id: "))
        last_id_ = line.substr(4);
      else if (line.starts_with("event: "))
        event.type = line.substr(7);
      else if (line.starts_with("data: "))
        event.data = line.substr(6);
    }
    if (!event.data.empty()) handler(event);
  }
  text_.erase(0, begin);
}

}  // namespace toolway::cli::bench::connections
