#include "cli/bench/results/plot_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace toolway::cli::bench::results {

double tick_distance(double length, unsigned count) {
  if (!(length > 0)) return 1;
  const double rough = length / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double step : {1.0, 2.0, 5.0})
    if (step * power >= rough * 0.999) return step * power;
  return 10 * power;
}

std::string tick_text(double value) {
  if (value < 1000 || std::abs(value - std::round(value)) > 1e-9) return fmt::format("{:g}", value);
  const auto digits = fmt::format("{:.0f}", value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

PlotAxis::PlotAxis(double least, double most, PlotScale scale) : scale_(scale) {
  if (scale == PlotScale::kLogarithmic) {
    const double low = std::max(least, 0.01);
    const double high = std::max(most, low * 10);
    const double first = std::floor(std::log10(low));
    const double last = std::max(std::ceil(std::log10(high) - 1e-9), first + 1);
    begin_ = first;
    end_ = last;
    for (double power = first; power <= last; ++power) ticks_.push_back(std::pow(10, power));
    return;
  }
  const double step = tick_distance(std::max(most, 1e-9), 4);
  end_ = std::max(1.0, std::ceil(most / step - 1e-9)) * step;
  for (double tick = 0; tick <= end_ + step / 2; tick += step) ticks_.push_back(tick);
}

double PlotAxis::place(double value) const {
  const double on = scale_ == PlotScale::kLogarithmic ? std::log10(std::max(value, 1e-9)) : value;
  return std::clamp((on - begin_) / (end_ - begin_), 0.0, 1.0);
}

}  // namespace toolway::cli::bench::results
