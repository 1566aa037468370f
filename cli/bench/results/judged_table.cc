#include "cli/bench/results/judged_table.h"

#include <fmt/format.h>

#include "cli/terminal/table.h"

namespace toolway::cli::bench::results {

bool print_judged_table(const std::vector<JudgedFigure>& figures, const std::string& what,
                        const std::string& measured, const terminal::Style& style) {
  std::vector<std::vector<std::string>> rows;
  bool all = true;
  for (const auto& figure : figures) {
    all = all && figure.holds;
    const auto verdict = figure.target.empty() ? std::string()
                         : figure.holds        ? style(terminal::Colour::kGreen, "holds")
                                               : style(terminal::Colour::kRed, "BROKEN");
    rows.push_back({figure.what, figure.measured, figure.target, verdict});
  }
  fmt::print("{}", terminal::render_table({what, measured, "TARGET", ""}, rows));
  return all;
}

}  // namespace toolway::cli::bench::results
