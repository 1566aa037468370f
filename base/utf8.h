#pragma once

#include <string_view>

namespace toolway {

/// Whether `text` is well-formed UTF-8 (Unicode 15, table 3-7: no surrogates,
/// no overlong forms, nothing above U+10FFFF).
bool valid_utf8(std::string_view text);

}  // namespace toolway
