#pragma once

#include <cstddef>
#include <string_view>

namespace toolway {

/// Whether `text` is well-formed UTF-8 (Unicode 15, table 3-7: no surrogates,
/// no overlong forms, nothing above U+10FFFF).
bool valid_utf8(std::string_view text);

/// Of UTF-8: a byte inside a character, after its first one.
inline bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// The first `most` bytes of UTF-8 at most, cut between two characters.
std::string_view utf8_prefix(std::string_view text, std::size_t most);

/// UTF-8 that was cut somewhere, without its last character if that has several bytes: some of
/// them may be missing.
std::string_view without_cut_character(std::string_view text);

}  // namespace toolway
