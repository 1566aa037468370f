#include "cli/terminal/table.h"

#include <algorithm>

#include "base/utf8.h"

namespace toolway::cli::terminal {
namespace {

std::string printable(std::string_view text) {
  std::string result(text);
  for (char& byte : result)
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f) byte = ' ';
  return result;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return !continues_character(byte); }));
}

std::string render_table(const std::vector<std::string>& headings,
                         const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& heading : headings) widths.push_back(display_width(heading));
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  std::string result;
  const auto add = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < headings.size(); ++i) {
      const auto cell = i < row.size() ? printable(row[i]) : std::string();
      line += cell;
      if (i + 1 < headings.size()) line.append(widths[i] - display_width(cell) + 2, ' ');
    }
    while (line.ends_with(' ')) line.pop_back();
    result += line + "\n";
  };
  add(headings);
  for (const auto& row : rows) add(row);
  return result;
}

std::string shorten(std::string_view text, std::size_t width) {
  auto line = printable(text);
  if (display_width(line) <= width) return line;
  std::size_t end = 0;
  for (std::size_t seen = 0; end < line.size(); ++end)
    if (!continues_character(line[end]) && seen++ == width - 1) break;
  return line.substr(0, end) + "…";
}

}  // namespace toolway::cli::terminal
