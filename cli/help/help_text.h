#pragma once

#include <string>

#include "cli/help/command.h"

/// `--help`, for a terminal of any width. Pure.
namespace toolway::cli::help {

/// Usage, verbs, arguments, options and examples, in lines of at most `width` characters (40 at
/// least; an example is never cut).
std::string help_text(const CommandText& command, std::size_t width);

/// Makes the parser print help_text() for `--help` of every verb added after this.
void use_own_help(CLI::App& app, std::size_t width);

}  // namespace toolway::cli::help
