#pragma once

#include <string>
#include <vector>

#include "cli/terminal/view.h"

namespace CLI {
class App;
}

namespace toolway::cli::terminal {

/// What the command line says about the output. One for the whole program: a command line has one
/// verb.
struct ViewOptions {
  std::string output = "table";
  std::string color = "auto";
  std::string time;  ///< relative or absolute; empty: ages on a terminal, times in a pipe
};

/// Adds `-o`, `--color` and `--time` to a verb that shows tables.
void add_table_options(CLI::App& verb, ViewOptions& options);
/// Adds `-o` with other forms, the first of which is the default, and `--color`.
void add_output_option(CLI::App& verb, ViewOptions& options, const std::vector<std::string>& forms);

/// What standard output and standard error are.
struct Streams {
  bool terminal = false;        ///< standard output is one
  bool error_terminal = false;  ///< standard error is one
  std::size_t width = 0;        ///< of the terminal; 0: unknown
};
/// Of this process. `columns` (COLUMNS) is the width where the system does not tell.
Streams own_streams(const std::string& columns);

/// How a verb prints: pure.
View view_of(const ViewOptions& options, const Streams& streams, bool no_color, WallTime now);

}  // namespace toolway::cli::terminal
