#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/terminal/view.h"

namespace toolway::cli::talk {

/// What is done with lines of standard input.
struct LineHandlers {
  std::function<int(const std::string& message)> say;
  std::function<int(std::string_view line)> command;  ///< of one that begins with /
};

/// Reads until the input ends or says /quit, with a prompt on a terminal. The status of the last
/// line.
int each_line(const terminal::View& view, const LineHandlers& handlers);

/// Prints the commands: asked for with /help, or in answer to one that does not exist. A status.
int help_with(std::string_view line);

}  // namespace toolway::cli::talk
