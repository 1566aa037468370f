#include "gateway/wire/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iterator>

#include "base/json.h"
#include "base/text.h"

namespace toolway::gateway::wire {
namespace {

/// Of each byte, whether it must be escaped within a string.
constexpr auto kNeedsEscape = [] {
  std::array<bool, 256> needs{};
  for (std::size_t c = 0; c < 0x20; ++c) needs[c] = true;
  needs['"'] = needs['\\'] = true;
  return needs;
}();

bool needs_escape(char c) { return kNeedsEscape[static_cast<unsigned char>(c)]; }

/// Writes `value` as `count` decimal digits that end before `end`.
void write_digits(char* end, std::size_t count, std::uint64_t value) {
  for (; count > 0; --count, value /= 10) *--end = static_cast<char>('0' + value % 10);
}

/// Just past the value that begins at `at`: at the comma or bracket that follows.
std::size_t skip_value(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = skip_json_string(text, at);
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') {
      if (depth == 0) return at;
      --depth;
    }
    if (c == ',' && depth == 0) return at;
    ++at;
  }
  return at;
}

}  // namespace

void append_string(std::string& out, std::string_view text) {
  out.push_back('"');
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!needs_escape(c)) continue;
    out.append(text.substr(plain, i - plain));
    plain = i + 1;
    switch (c) {
      case '"': out.append("\\\""); break;
      case '\\': out.append("\\\\"); break;
      case '\n': out.append("\\n"); break;
      case '\r': out.append("\\r"); break;
      case '\t': out.append("\\t"); break;
      default:
        const auto byte = static_cast<unsigned char>(c);
        out.append("\\u00");
        append_hex(out, {&byte, 1});
    }
  }
  out.append(text.substr(plain));
  out.push_back('"');
}

void append_json(std::string& out, std::string_view json) {
  if (json.empty()) {
    out.append("null");
    return;
  }
  const std::size_t from = out.size();
  out.append(json);
  for (const char line_break : {'\n', '\r'}) {
    for (auto at = out.find(line_break, from); at != std::string::npos;
         at = out.find(line_break, at))
      out[at] = ' ';
  }
}

std::string time_text(WallTime time) {
  using std::chrono::days;
  using std::chrono::floor;
  const auto day = floor<days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  // Written for every event: a format string costs eight times as much (callgrind).
  std::string text = "0000-00-00T00:00:00.000000Z";
  const auto put = [&text](std::size_t at, std::size_t count, std::uint64_t value) {
    write_digits(text.data() + at + count, count, value);
  };
  put(0, 4, static_cast<std::uint64_t>(std::clamp(static_cast<int>(date.year()), 0, 9999)));
  put(5, 2, static_cast<unsigned>(date.month()));
  put(8, 2, static_cast<unsigned>(date.day()));
  put(11, 2, static_cast<std::uint64_t>(clock.hours().count()));
  put(14, 2, static_cast<std::uint64_t>(clock.minutes().count()));
  put(17, 2, static_cast<std::uint64_t>(clock.seconds().count()));
  put(20, 6, static_cast<std::uint64_t>(clock.subseconds().count()));
  return text;
}

std::optional<std::string_view> member_text(std::string_view object, std::string_view name) {
  std::optional<std::string_view> found;
  std::size_t at = object.find('{');
  if (at == std::string_view::npos) return found;
  ++at;
  while (at < object.size()) {
    at = object.find_first_of("\"}", at);
    if (at == std::string_view::npos || object[at] == '}') break;
    const std::size_t key_end = skip_json_string(object, at);
    const auto key = object.substr(at + 1, key_end - at - 2);
    at = object.find(':', key_end);
    if (at == std::string_view::npos) break;
    ++at;
    while (at < object.size() && is_json_space(object[at])) ++at;
    const std::size_t end = skip_value(object, at);
    std::size_t last = end;
    while (last > at && is_json_space(object[last - 1])) --last;
    if (key == name) found = object.substr(at, last - at);
    at = end;
    if (at < object.size() && object[at] == ',') ++at;
  }
  return found;
}

std::vector<std::string_view> element_texts(std::string_view array) {
  std::vector<std::string_view> elements;
  std::size_t at = array.find('[');
  if (at == std::string_view::npos) return elements;
  ++at;
  while (at < array.size()) {
    while (at < array.size() && is_json_space(array[at])) ++at;
    if (at >= array.size() || array[at] == ']') break;
    const std::size_t end = skip_value(array, at);
    std::size_t last = end;
    while (last > at && is_json_space(array[last - 1])) --last;
    elements.push_back(array.substr(at, last - at));
    at = end;
    if (at < array.size() && array[at] == ',') ++at;
  }
  return elements;
}

void ObjectText::begin(std::string_view key) {
  out_.append(first_ ? "\"" : ",\"");
  first_ = false;
  out_.append(key);  // our own keys: nothing to escape
  out_.append("\":");
}

void ObjectText::text(std::string_view key, std::string_view value) {
  begin(key);
  append_string(out_, value);
}

void ObjectText::text_or_null(std::string_view key, std::string_view value) {
  if (value.empty()) return null(key);
  text(key, value);
}

void ObjectText::json(std::string_view key, std::string_view value) {
  begin(key);
  append_json(out_, value);
}

void ObjectText::members(std::string_view object) {
  if (!first_) out_.push_back(',');
  first_ = false;
  out_.append(object.substr(1, object.size() - 2));
}

void ObjectText::number(std::string_view key, std::uint64_t value) {
  begin(key);
  const fmt::format_int digits(value);
  out_.append(digits.data(), digits.size());
}

void ObjectText::real(std::string_view key, double value) {
  if (!std::isfinite(value)) return null(key);
  begin(key);
  fmt::format_to(std::back_inserter(out_), "{}", value);
}

void ObjectText::boolean(std::string_view key, bool value) {
  begin(key);
  out_.append(value ? "true" : "false");
}

void ObjectText::null(std::string_view key) {
  begin(key);
  out_.append("null");
}

void ObjectText::time_us(std::string_view key, std::int64_t value) {
  if (value == 0) return null(key);
  begin(key);
  out_.push_back('"');
  out_.append(time_text(from_unix_us(value)));
  out_.push_back('"');
}

}  // namespace toolway::gateway::wire
