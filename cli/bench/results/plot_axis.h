#pragma once

#include <string>
#include <vector>

namespace toolway::cli::bench::results {

enum class PlotScale { kLinear, kLogarithmic };

/// How values lie along an axis, and which of them are written next to it. Pure.
class PlotAxis {
 public:
  /// Of values from `least` to `most`, rounded outwards to what is easily read.
  PlotAxis(double least, double most, PlotScale scale);

  /// 0 at the beginning of the axis, 1 at its end; values outside lie at the nearer end.
  double place(double value) const;
  const std::vector<double>& ticks() const { return ticks_; }

 private:
  PlotScale scale_;
  double begin_ = 0;
  double end_ = 1;
  std::vector<double> ticks_;
};

/// 1, 2 or 5 times a power of ten: the distance of some `count` ticks over `length`.
double tick_distance(double length, unsigned count);

/// `0.5`, `20`, `1,500`.
std::string tick_text(double value);

}  // namespace toolway::cli::bench::results
