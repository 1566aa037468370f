#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/terminal/failure.h"

namespace toolway::cli::help {

/// What was wrong with a command line, from the parser's error: the word, the nearest right ones,
/// and where to look. `words` are those after the program's name. Pure.
terminal::Failure usage_error(const CLI::App& root, const CLI::ParseError& error,
                              const std::vector<std::string>& words);

}  // namespace toolway::cli::help
