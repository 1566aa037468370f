#include "cli/bench/results/svg.h"

#include <fmt/format.h>

#include "base/markup.h"

namespace toolway::cli::bench::results {
namespace {

/// Controls are not allowed in XML.
std::string escaped(std::string_view shown) {
  std::string text(shown);
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return escape_markup(text);
}

}  // namespace

std::string svg_head(double width, double height) {
  // A rule of a style sheet counts more than an attribute.
  const auto dark = [](const char* part, const char* attribute, const char* was, const char* now) {
    return fmt::format("{}[{}=\"{}\"]{{{}:{}}}", part, attribute, was, attribute, now);
  };
  const auto style = fmt::format(
      "<style>@media (prefers-color-scheme: dark){{{}{}{}{}{}{}}}</style>\n",
      dark("rect", "fill", "#ffffff", "#0d1117"), dark("text", "fill", kInk, "#e6edf3"),
      dark("text", "fill", kDim, "#9198a1"), dark("line", "stroke", kGrid, "#2f353d"),
      dark("line", "stroke", kLimit, "#f85149"), dark("text", "fill", kLimit, "#f85149"));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" height=\"{1:g}\" "
      "font-family=\"system-ui, 'DejaVu Sans', Helvetica, Arial, sans-serif\">\n<rect width=\"{0:g}\" height=\"{1:g}\" fill=\"#ffffff\"/>\n{2}",
      width, height, style);
}

std::string text_at(double x, double y, std::string_view text, const TextStyle& style) {
  return fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:g}\" fill=\"{}\" text-anchor=\"{}\" font-weight=\"{}\">{}</text>\n",
      x, y, style.size, style.colour, style.anchor, style.weight, escaped(text));
}

std::string line(double x1, double y1, double x2, double y2, const char* colour, const char* more) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"{}/>\n", x1, y1,
      x2, y2, colour, more);
}

std::string box(double x, double y, double width, double height, const char* colour) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, y,
      width, height, colour);
}

}  // namespace toolway::cli::bench::results
