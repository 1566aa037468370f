#include "cli/terminal/bar.h"

#include <fmt/format.h>

#include <algorithm>

namespace toolway::cli::terminal {
namespace {

/// 0 to 1.
double part(double done, double total) {
  return done > 0 && total > 0 ? std::min(1.0, done / total) : 0.0;
}

}  // namespace

std::string bar(double done, double total, unsigned width) {
  const auto filled = static_cast<unsigned>(part(done, total) * width);
  std::string text;
  for (unsigned i = 0; i < width; ++i) text += i < filled ? "█" : "░";
  return text;
}

std::string percent(double done, double total) {
  return fmt::format("{:>3.0f} %", 100 * part(done, total));
}

}  // namespace toolway::cli::terminal
