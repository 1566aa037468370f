#pragma once

#include <cstddef>

#include "base/clock.h"
#include "cli/terminal/style.h"

namespace toolway::cli::terminal {

/// What a verb prints.
enum class Output {
  kTable,  ///< for a person: as wide as the terminal
  kWide,   ///< every column, whole
  kJson,   ///< the gateway's answer as it is
  kName,   ///< ids alone, one to a line
  kRaw,    ///< a result's text as it is
};

/// How tables show times.
enum class Times { kAge, kAbsolute };

/// Where a verb prints, and how: made once, from the options and from what standard output is.
struct View {
  Output output = Output::kTable;
  bool terminal = false;  ///< standard output is one
  std::size_t width = 0;  ///< characters of a line; 0: nothing is cut
  Style style{false};
  Style error_style{false};     ///< of standard error
  std::size_t error_width = 0;  ///< of standard error; 0: it is not a terminal
  Times times = Times::kAbsolute;
  WallTime now{};  ///< when the verb began

  /// Whether a program reads the output: then errors are JSON as well.
  bool json() const { return output == Output::kJson; }
  /// Whether values are cut to fit: never in a pipe, nor with `-o wide`.
  bool fits() const { return output == Output::kTable && width > 0; }
};

}  // namespace toolway::cli::terminal
