#pragma once

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

/// Small things done to texts. Letters are those of ASCII, whatever the locale. Pure.
namespace toolway {

/// Without the `blanks` at both ends; HTTP allows spaces and tabs around a value.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t");

/// In lower case.
constexpr char lower_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string lowered(std::string_view text);
/// Equal, ignoring case.
bool same_word(std::string_view a, std::string_view b);

/// A token of HTTP (RFC 9110 §5.6.2), as a header's name is one.
bool is_http_token(std::string_view text);

/// The value of a hexadecimal digit of either case.
std::optional<unsigned> hex_digit(char c);
/// Two digits a byte, in lower case.
inline void append_hex(std::string& to, std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const unsigned char byte : bytes) {
    to.push_back(kDigits[byte >> 4]);
    to.push_back(kDigits[byte & 15]);
  }
}

/// RFC 3986 §2.3: all except unreserved characters as %XX.
std::string percent_encoded(std::string_view text);
/// Nothing: a % without its two digits.
std::optional<std::string> percent_decoded(std::string_view text);

/// Reads `text`, all of it, as one decimal number. False: it is not one, or out of range; `number`
/// then holds anything.
template <typename Number>
bool parse_number(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

}  // namespace toolway
