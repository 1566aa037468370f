#pragma once

#include <string>
#include <vector>

#include "cli/terminal/style.h"

namespace toolway::cli::bench::results {

/// A figure next to its target.
struct JudgedFigure {
  std::string what;
  std::string measured;
  std::string target;  ///< empty: it has none
  bool holds = true;
};

/// Prints them under these headings of what was measured, and how. Returns whether all hold.
bool print_judged_table(const std::vector<JudgedFigure>& figures, const std::string& what,
                        const std::string& measured, const terminal::Style& style);

}  // namespace toolway::cli::bench::results
