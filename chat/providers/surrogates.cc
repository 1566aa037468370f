#include "chat/providers/surrogates.h"

#include <charconv>
#include <optional>
#include <utility>

#include "base/try.h"

namespace toolway::chat::providers {
namespace {

using Byte = unsigned char;

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::size_t kHalfBytes = 3;
constexpr std::size_t kEscapeBytes = 6;
constexpr char32_t kHighs = 0xD800;
constexpr char32_t kLows = 0xDC00;
constexpr char32_t kEnd = 0xE000;
/// Where halves are while a parser checks the text: characters for private use, which are valid.
constexpr char32_t kParsedAs = 0x10F800;

std::string three_bytes(char32_t half) {
  return {static_cast<char>(0xE0 | half >> 12), static_cast<char>(0x80 | (half >> 6 & 0x3F)),
          static_cast<char>(0x80 | (half & 0x3F))};
}
std::string four_bytes(char32_t code) {
  return {static_cast<char>(0xF0 | code >> 18), static_cast<char>(0x80 | (code >> 12 & 0x3F)),
          static_cast<char>(0x80 | (code >> 6 & 0x3F)), static_cast<char>(0x80 | (code & 0x3F))};
}

/// The half at `at`, of those that three bytes say; 0: there is none.
char32_t half_at(std::string_view text, std::size_t at) {
  if (at + kHalfBytes > text.size() || Byte(text[at]) != 0xED || Byte(text[at + 1]) < 0xA0)
    return 0;
  return 0xD000U | (Byte(text[at + 1]) & 0x3FU) << 6 | (Byte(text[at + 2]) & 0x3FU);
}
bool is_high(char32_t half) { return half >= kHighs && half < kLows; }
bool is_low(char32_t half) { return half >= kLows && half < kEnd; }

bool ends_in_high(std::string_view text) {
  return text.size() >= kHalfBytes && is_high(half_at(text, text.size() - kHalfBytes));
}

/// What `\uXXXX` at `at` says, if it is a half.
char32_t escaped_half(std::string_view text, std::size_t at) {
  if (at + kEscapeBytes > text.size() || text[at] != '\\' || text[at + 1] != 'u') return 0;
  unsigned code = 0;
  const auto* begin = text.data() + at + 2;
  const auto read = std::from_chars(begin, begin + 4, code, 16);
  if (read.ec != std::errc() || read.ptr != begin + 4) return 0;
  return code >= kHighs && code < kEnd ? code : 0;
}

/// Whether it has such characters of its own.
bool has_parsed_as(std::string_view text) {
  return text.find("\xF4\x8F") != std::string_view::npos ||
         text.find("\\udbf") != std::string_view::npos ||
         text.find("\\uDBF") != std::string_view::npos;
}

/// The text with each escaped half that is alone as a character; nothing: there is none.
std::optional<std::string> with_parsable_halves(std::string_view text) {
  const bool has_own = has_parsed_as(text);
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at)) {
    const auto half = escaped_half(text, at);
    if (half == 0) {
      at += 2;
    } else if (is_high(half) && is_low(escaped_half(text, at + kEscapeBytes))) {
      at += 2 * kEscapeBytes;
    } else {
      out.append(text.substr(copied, at - copied));
      out += has_own ? std::string(kReplacement) : four_bytes(kParsedAs + half - kHighs);
      copied = at += kEscapeBytes;
    }
  }
  if (copied == 0) return std::nullopt;
  return out.append(text.substr(copied));
}

void visit_texts(OrderedJson& value, const auto& change) {
  if (value.is_string()) return change(value.get_ref<std::string&>());
  if (value.is_structured())
    for (auto& each : value) visit_texts(each, change);
}

/// Characters of `with_parsable_halves` as halves again.
void take_back(std::string& text) {
  const std::string_view first = "\xF4\x8F";
  for (auto at = text.find(first); at != std::string::npos; at = text.find(first, at + 1)) {
    const auto third = Byte(text[at + 2]);
    if (third < 0xA0) continue;
    const char32_t code = 0x10F000U | (third & 0x3FU) << 6 | (Byte(text[at + 3]) & 0x3FU);
    text.replace(at, 4, three_bytes(code - kParsedAs + kHighs));
  }
}

}  // namespace

Result<OrderedJson> parse_with_halves(std::string_view text, std::size_t max_depth) {
  // As good as every event.
  const bool has_none =
      text.find("\\ud") == std::string_view::npos && text.find("\\uD") == std::string_view::npos;
  if (has_none) return parse_ordered_json(text, max_depth);
  const auto parsable = with_parsable_halves(text);
  if (!parsable) return parse_ordered_json(text, max_depth);
  ASSIGN_OR_RETURN(auto value, parse_ordered_json(*parsable, max_depth));
  if (!has_parsed_as(text)) visit_texts(value, take_back);
  return value;
}

void append_text(std::string& text, std::string_view piece) {
  const auto low = half_at(piece, 0);
  if (is_low(low) && ends_in_high(text)) {
    const auto high = half_at(text, text.size() - kHalfBytes);
    text.resize(text.size() - kHalfBytes);
    text += four_bytes(0x10000 + ((high - kHighs) << 10) + (low - kLows));
    piece.remove_prefix(kHalfBytes);
  }
  text += piece;
}

std::string without_halves(std::string text) {
  for (auto at = text.find('\xED'); at != std::string::npos; at = text.find('\xED', at + 1))
    if (half_at(text, at) != 0) text.replace(at, kHalfBytes, kReplacement);
  return text;
}

void mend_halves(OrderedJson& value) {
  visit_texts(value, [](std::string& text) { text = without_halves(std::move(text)); });
}

void WholeCharacters::add(std::string_view piece) {
  auto text = std::exchange(half_, {});
  append_text(text, piece);
  if (ends_in_high(text)) {
    half_ = text.substr(text.size() - kHalfBytes);
    text.resize(text.size() - kHalfBytes);
  }
  if (!text.empty()) tell_(without_halves(std::move(text)));
}

void WholeCharacters::end() {
  if (!half_.empty()) tell_(without_halves(std::exchange(half_, {})));
}

}  // namespace toolway::chat::providers
