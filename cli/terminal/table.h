#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace toolway::cli::terminal {

/// How wide `text` is on a terminal, counted in code points.
std::size_t display_width(std::string_view text);

/// Columns two spaces apart, headings in capitals, the last column as long as it
/// is. Control characters in cells become spaces: data cannot move the cursor.
std::string render_table(const std::vector<std::string>& headings,
                         const std::vector<std::vector<std::string>>& rows);

/// At most `width` characters, the last one an ellipsis when something is cut. One line.
std::string shorten(std::string_view text, std::size_t width);

}  // namespace toolway::cli::terminal
