#include "base/log_text.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <iterator>

#include "base/utf8.h"

namespace toolway {
namespace {

struct Span {
  std::uint32_t first;
  std::uint32_t last;
};
/// Controls of C0 and C1, DEL, separators of lines and paragraphs, and marks that turn the
/// direction of writing: each can make a line look like another one.
constexpr std::array kUnseen{Span{0x00, 0x1f},     Span{0x7f, 0x9f},     Span{0x061c, 0x061c},
                             Span{0x200b, 0x200f}, Span{0x2028, 0x202e}, Span{0x2060, 0x2069},
                             Span{0xfeff, 0xfeff}};

bool is_unseen(std::uint32_t character) {
  for (const auto& span : kUnseen)
    if (character >= span.first && character <= span.last) return true;
  return false;
}

/// The character at `at` of well-formed UTF-8, which moves past it.
std::uint32_t next_character(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  if (lead < 0x80) return lead;
  std::uint32_t character = lead >= 0xf0 ? lead & 7U : lead >= 0xe0 ? lead & 15U : lead & 31U;
  while (at < text.size() && continues_character(text[at]))
    character = (character << 6U) | (static_cast<unsigned char>(text[at++]) & 0x3fU);
  return character;
}

bool is_plain(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) return false;
  return true;
}

/// In strings and names.
OrderedJson shown(const OrderedJson& value) {
  if (value.is_string()) return log_text(value.get_ref<const std::string&>());
  if (!value.is_structured()) return value;
  OrderedJson made = value.is_object() ? OrderedJson::object() : OrderedJson::array();
  for (const auto& [name, inside] : value.items()) {
    if (value.is_object())
      made[log_text(name)] = shown(inside);
    else
      made.push_back(shown(inside));
  }
  return made;
}

}  // namespace

std::string log_text(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string readable;
  if (!valid_utf8(text)) {
    readable = Json::parse(to_text(Json(text))).get<std::string>();
    text = readable;
  }
  std::string made;
  made.reserve(text.size() + 16);
  for (std::size_t at = 0; at < text.size();) {
    const auto from = at;
    const auto character = next_character(text, at);
    if (character == '\n')
      made += "\\n";
    else if (is_unseen(character))
      fmt::format_to(std::back_inserter(made), "\\u{:04x}", character);
    else
      made.append(text, from, at - from);
  }
  return made;
}

std::string log_json(std::string_view time, std::string_view level, std::string_view process,
                     const OrderedJson& fields) {
  OrderedJson line{{"time", time}, {"level", level}, {"process", process}};
  for (const auto& [name, value] : fields.items()) line[log_text(name)] = shown(value);
  return to_text(line);
}

}  // namespace toolway
