#include "cli/terminal/table.h"

#include <algorithm>

#include "base/log_text.h"
#include "base/utf8.h"
#include "cli/terminal/layout.h"
#include "cli/terminal/short_ids.h"

namespace toolway::cli::terminal {
namespace {

/// On one line, and without what would move the terminal's cursor or turn the direction of writing:
/// a cell may have what another user wrote.
std::string printable(std::string_view text) {
  std::string result(text);
  for (char& byte : result)
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f) byte = ' ';
  return log_text(result);
}

bool is_left_out(const Table& table, std::size_t column) {
  return table.columns[column].empty == Empty::kLeftOut &&
         std::ranges::all_of(table.rows, [&](const Table::Row& row) {
           return column >= row.cells.size() || row.cells[column].text.empty();
         });
}

/// The columns that `view` has at all, and what each needs.
std::vector<std::size_t> columns_of(const Table& table, const View& view) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool wanted = table.columns[i].rank != Column::kWideOnly || view.output == Output::kWide;
    if (wanted && !is_left_out(table, i)) shown.push_back(i);
  }
  return shown;
}

void shorten_ids(Table& table) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].holds != Holds::kIds) continue;
    std::vector<std::string> ids;
    for (const auto& row : table.rows)
      ids.push_back(i < row.cells.size() ? row.cells[i].text : std::string());
    auto ends = short_ids(ids);
    for (std::size_t r = 0; r < ends.size(); ++r)
      if (i < table.rows[r].cells.size()) table.rows[r].cells[i].text = std::move(ends[r]);
  }
}

std::size_t natural_width(const Table& table, std::size_t column) {
  auto width = display_width(table.columns[column].heading);
  for (const auto& row : table.rows)
    if (column < row.cells.size()) width = std::max(width, display_width(row.cells[column].text));
  return width;
}

std::vector<ColumnPlace> plan(const Table& table, const View& view) {
  const auto shown = columns_of(table, view);
  std::vector<ColumnNeed> needs;
  for (const auto i : shown) {
    const auto& column = table.columns[i];
    // A heading is never cut.
    const auto least =
        column.least == 0 ? 0 : std::max(column.least, display_width(column.heading));
    needs.push_back({natural_width(table, i), least, column.rank});
  }
  auto places = plan_columns(needs, view.fits() ? view.width : 0);
  for (auto& place : places) place.column = shown[place.column];
  return places;
}

/// What is printable, cut to `width` characters.
std::string cut(std::string line, std::size_t width) {
  if (display_width(line) <= width) return line;
  return line.substr(0, bytes_within(line, width - 1)) + "…";
}

/// One line; `cell_of` gives the text and colour of each column.
template <typename CellOf>
std::string render_line(const Table& table, const std::vector<ColumnPlace>& places,
                        const Style& style, const CellOf& cell_of) {
  std::string result;
  std::size_t blanks = 0;  // not yet written: a line ends without any
  for (const auto& place : places) {
    const Cell cell = cell_of(place.column);
    const auto text = cut(cell.text, place.width);
    const auto padding = place.width - display_width(text);
    const bool right = table.columns[place.column].align == Align::kRight;
    if (!text.empty()) {
      result.append(blanks + (right ? padding : 0), ' ');
      result += cell.colour ? style(*cell.colour, text) : text;
      blanks = right ? 0 : padding;
    } else {
      blanks += padding;
    }
    blanks += kColumnGap;
  }
  return result + "\n";
}

std::string names(const Table& table) {
  std::string result;
  for (const auto& row : table.rows) {
    const auto& name = row.name.empty() && !row.cells.empty() ? row.cells.front().text : row.name;
    result += printable(name) + "\n";
  }
  return result;
}

}  // namespace

std::string render(Table table, const View& view) {
  if (view.output == Output::kName) return names(table);
  if (table.rows.empty() && view.terminal && !table.nothing.empty()) return table.nothing + "\n";
  for (auto& row : table.rows)
    for (auto& cell : row.cells) cell.text = printable(cell.text);
  if (view.fits()) shorten_ids(table);
  const auto places = plan(table, view);
  auto result = render_line(table, places, view.style, [&](std::size_t column) {
    return Cell(table.columns[column].heading, Colour::kBold);
  });
  for (const auto& row : table.rows) {
    result += render_line(table, places, view.style, [&](std::size_t column) {
      return column < row.cells.size() ? row.cells[column] : Cell("");
    });
  }
  return result;
}

std::string render_table(const std::vector<std::string>& headings,
                         const std::vector<std::vector<std::string>>& rows) {
  Table table{.columns = {}};
  for (const auto& heading : headings) table.columns.push_back({.heading = heading});
  for (const auto& row : rows)
    table.rows.push_back({.cells = {row.begin(), row.end()}, .name = {}});
  return render(std::move(table), View{});
}

std::string shorten(std::string_view text, std::size_t width) {
  return cut(printable(text), width);
}

}  // namespace toolway::cli::terminal
