#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/columns.h"
#include "cli/terminal/view.h"

namespace toolway::cli::terminal {

enum class Align { kLeft, kRight };
/// Ids are whole in a pipe; a terminal shows their shortest ends that tell them apart.
enum class Holds { kText, kIds };
/// What becomes of a column that has nothing in any row.
enum class Empty { kShown, kLeftOut };

/// One column of a table. Those that only `-o wide` shows have Column::kWideOnly as their rank.
struct Column {
  static constexpr unsigned kWideOnly = 1000;

  std::string heading;
  std::size_t least = 0;  ///< its cells may be cut to this number of characters; 0: never
  unsigned rank = 0;      ///< 0: always shown; in a narrow terminal the highest is dropped first
  Align align = Align::kLeft;
  Holds holds = Holds::kText;
  Empty empty = Empty::kShown;
};

struct Cell {
  Cell(std::string words) : text(std::move(words)) {}  // NOLINT(google-explicit-constructor)
  Cell(const char* words) : text(words) {}             // NOLINT(google-explicit-constructor)
  Cell(std::string words, std::optional<Colour> in) : text(std::move(words)), colour(in) {}

  std::string text;
  std::optional<Colour> colour{};
};

/// A table as a verb fills it, before anything decides how much of it fits.
struct Table {
  struct Row {
    std::vector<Cell> cells;
    std::string name;  ///< what `-o name` prints; empty: the first cell
  };
  std::vector<Column> columns;
  std::vector<Row> rows{};
  std::string nothing{};  ///< shown on a terminal instead of headings without rows; empty: those
};

/// The table's text for `view`: fitted to a terminal's width, whole in a pipe and with `-o wide`,
/// or names alone. Columns are two spaces apart, headings in capitals and bold where there are
/// colours. Control characters in cells become spaces: data cannot move the cursor. Pure.
std::string render(Table table, const View& view);

/// A table without a view: whole, and without colours.
std::string render_table(const std::vector<std::string>& headings,
                         const std::vector<std::vector<std::string>>& rows);

/// At most `width` characters, the last one an ellipsis when something is cut. One line.
std::string shorten(std::string_view text, std::size_t width);

}  // namespace toolway::cli::terminal
