#pragma once

#include <string>

#include "cli/help/command.h"

/// Manual pages in troff, from the texts of `--help`. Pure.
namespace toolway::cli::help {

/// The page of a verb; `version` is shown at its foot.
std::string man_page(const CommandText& command, const std::string& version);

/// `toolway-session-open.1`
std::string man_file(const CommandText& command);

}  // namespace toolway::cli::help
