#pragma once

#include <cstddef>
#include <vector>

namespace toolway::cli::terminal {

/// What one column of a table needs, in characters.
struct ColumnNeed {
  std::size_t natural = 0;  ///< of its longest cell or heading
  std::size_t least = 0;    ///< its cells may be cut to this; 0: they are never cut
  unsigned rank = 0;        ///< 0: it is always shown; of the others the highest goes first
};

/// A column that is shown, and how wide.
struct ColumnPlace {
  std::size_t column = 0;
  std::size_t width = 0;
};

inline constexpr std::size_t kColumnGap = 2;

/// Which columns a line of `width` characters shows, from left to right. Those that may be cut
/// shrink down to their least; when that does not suffice, columns are dropped by their rank. What
/// is left of the line goes to the lowest rank first. 0: a line without end. Columns that are
/// never cut nor dropped may be wider than the line. Pure.
std::vector<ColumnPlace> plan_columns(const std::vector<ColumnNeed>& needs, std::size_t width);

}  // namespace toolway::cli::terminal
