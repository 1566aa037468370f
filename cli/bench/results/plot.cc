#include "cli/bench/results/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/bench/results/plot_axis.h"
#include "cli/bench/results/svg.h"

namespace toolway::cli::bench::results {
namespace {

constexpr double kWidth = 960;
constexpr double kLeft = 72;
constexpr double kRight = 24;
constexpr double kTop = 84;
constexpr double kPanel = 200;  ///< height
constexpr double kPanelGap = 56;
constexpr double kBottom = 52;
constexpr double kInner = kWidth - kLeft - kRight;
constexpr double kHeadroom = 1.04;  ///< a line does not touch the top
constexpr std::size_t kMarkRows = 4;
constexpr double kMarkRow = 13;

/// How wide a text is drawn, roughly: fonts differ.
double text_width(const std::string& text, double size) {
  return 0.56 * size * static_cast<double>(text.size());
}

class Drawing {
 public:
  explicit Drawing(const Plot& plot)
      : plot_(plot), last_(plot.at.empty() ? 1 : std::max(plot.at.back(), 1.0)) {}

  std::string svg() const {
    const double height = kTop + static_cast<double>(plot_.panels.size()) * (kPanel + kPanelGap) -
                          kPanelGap + kBottom;
    auto out = svg_head(kWidth, height);
    out += text_at(kLeft, 30, plot_.title, {.size = 19, .colour = kInk, .weight = "600"});
    out += text_at(kLeft, 50, plot_.subtitle, {.size = 12.5});
    for (std::size_t i = 0; i < plot_.panels.size(); ++i)
      out += panel(plot_.panels[i], kTop + static_cast<double>(i) * (kPanel + kPanelGap));
    const double axis = height - kBottom;
    const double step = tick_distance(last_, 8);
    for (double tick = 0; tick <= last_ + 1e-9; tick += step)
      out += text_at(x(tick), axis + 18, tick_text(tick), {.anchor = "middle"});
    out += text_at(kLeft + kInner / 2, axis + 38, "seconds", {.anchor = "middle"});
    return out + "</svg>\n";
  }

 private:
  double x(double at) const { return kLeft + kInner * std::clamp(at / last_, 0.0, 1.0); }

  std::string panel(const PlotPanel& panel, double top) const {
    const auto axis = axis_of(panel);
    const auto y = [&](double value) { return top + kPanel * (1 - axis.place(value)); };
    std::string out =
        text_at(kLeft, top - 10, panel.title, {.size = 13, .colour = kInk, .weight = "600"});
    out += legend(panel, top);
    for (const double tick : axis.ticks()) {
      out += line(kLeft, y(tick), kLeft + kInner, y(tick), kGrid);
      out += text_at(kLeft - 8, y(tick) + 4, tick_text(tick), {.anchor = "end"});
    }
    out += marks(top);
    for (const auto& one : panel.lines) out += polyline(one, y);
    for (const auto& limit : panel.limits) {
      out += line(kLeft, y(limit.value), kLeft + kInner, y(limit.value), kLimit,
                  " stroke-dasharray=\"7 4\"");
      out += text_at(kLeft + kInner - 4, y(limit.value) - 4, limit.text,
                     {.size = 10.5, .colour = kLimit, .anchor = "end"});
    }
    return out;
  }

  /// Of the values of all lines and limits.
  static PlotAxis axis_of(const PlotPanel& panel) {
    double least = 1e18;
    double most = 0;
    const auto reach = [&](double value) {
      if (value > 0) least = std::min(least, value);
      most = std::max(most, value);
    };
    for (const auto& one : panel.lines)
      for (const double value : one.values) reach(value);
    for (const auto& limit : panel.limits) reach(limit.value);
    return {std::min(least, std::max(most, 1.0)), most * kHeadroom, panel.scale};
  }

  /// From the right: each name after its own piece of line.
  static std::string legend(const PlotPanel& panel, double top) {
    constexpr double kGlyph = 18;
    std::string out;
    double end = kLeft + kInner;
    for (auto one = panel.lines.rbegin(); one != panel.lines.rend(); ++one) {
      const double begin = end - text_width(one->name, 12) - kGlyph - 5;
      out += fmt::format(
          "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"3\"/>\n",
          begin, top - 14, begin + kGlyph, top - 14, one->colour);
      out += text_at(begin + kGlyph + 5, top - 10, one->name, {.colour = kInk});
      end = begin - 16;
    }
    return out;
  }

  /// Their words are in the first panel only, each in the first row that has room for it.
  std::string marks(double top) const {
    std::string out;
    std::array<double, kMarkRows> free_from{};
    for (const auto& mark : plot_.marks) {
      out +=
          line(x(mark.at), top, x(mark.at), top + kPanel, "#9ca3af", " stroke-dasharray=\"3 3\"");
      if (top > kTop) continue;
      const double width = text_width(mark.text, 10.5);
      const bool left = x(mark.at) + 4 + width > kLeft + kInner;
      const double begin = x(mark.at) + (left ? -4 - width : 4);
      const auto row = std::find_if(free_from.begin(), free_from.end(),
                                    [&](double free) { return free <= begin; });
      if (row == free_from.end()) continue;
      out += text_at(x(mark.at) + (left ? -4 : 4),
                     top + 12 + kMarkRow * static_cast<double>(row - free_from.begin()), mark.text,
                     {.size = 10.5, .anchor = left ? "end" : "start"});
      *row = begin + width + 8;
    }
    return out;
  }

  template <typename Y>
  std::string polyline(const PlotLine& one, Y y) const {
    std::string points;
    for (std::size_t i = 0; i < std::min(one.values.size(), plot_.at.size()); ++i)
      points += fmt::format("{}{:.1f},{:.1f}", i == 0 ? "" : " ", x(plot_.at[i]), y(one.values[i]));
    return fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" stroke-linejoin=\"round\"/>\n",
        points, one.colour);
  }

  const Plot& plot_;
  const double last_;
};

}  // namespace

std::string to_svg(const Plot& plot) { return Drawing(plot).svg(); }

}  // namespace toolway::cli::bench::results
