#pragma once

#include <string>
#include <vector>

#include "cli/bench/results/plot_axis.h"

namespace toolway::cli::bench::results {

/// A line of a panel: a value for each time of the plot.
struct PlotLine {
  std::string name;
  std::string colour;  ///< as SVG has them: `#2563eb`
  std::vector<double> values;
};

/// A value that lines should stay below, or above.
struct PlotLimit {
  double value = 0;
  std::string text;
};

/// A diagram of lines over time.
struct PlotPanel {
  std::string title;  ///< with the unit: `latency, ms`
  PlotScale scale = PlotScale::kLinear;
  std::vector<PlotLine> lines;
  std::vector<PlotLimit> limits{};
};

/// Something that happened at a time.
struct PlotMark {
  double at = 0;
  std::string text;
};

struct Plot {
  std::string title;
  std::string subtitle;
  std::vector<double> at;  ///< seconds, growing
  std::vector<PlotPanel> panels;
  std::vector<PlotMark> marks;
};

/// The plot as an SVG document that needs nothing else, legible on white, in print, and on dark
/// pages. Pure.
std::string to_svg(const Plot& plot);

}  // namespace toolway::cli::bench::results
