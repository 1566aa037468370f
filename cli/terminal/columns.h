#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace toolway::cli::terminal {

/// How many columns a terminal shows UTF-8 in: two for a wide character (CJK, most emoji), none for
/// a combining mark, one for any other. A byte that is not UTF-8 is one column. Pure.
std::size_t display_width(std::string_view text);

/// How many bytes of `text`, whole characters with their marks, fit into `width` columns. Pure.
std::size_t bytes_within(std::string_view text, std::size_t width);

}  // namespace toolway::cli::terminal
