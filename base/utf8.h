#pragma once

#include <cstddef>
#include <string_view>

namespace toolway {

/// Whether `text` is well-formed UTF-8 (Unicode 15, table 3-7: no surrogates,
/// no overlong forms, nothing above U+10FFFF).
bool valid_utf8(std::string_view text);

/// The first `most` bytes of UTF-8 at most, cut between two characters.
std::string_view utf8_prefix(std::string_view text, std::size_t most);

}  // namespace toolway
