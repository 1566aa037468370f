#pragma once

#include <CLI/CLI.hpp>

#include "cli/help/help_text.h"
#include "cli/verbs.h"

namespace toolway::cli::help {

/// The parser of the program, with all of its verbs.
struct OwnVerbs {
  OwnVerbs() {
    use_own_help(app, 80);
    app.set_help_flag("-h,--help", "show this help");
    app.require_subcommand(0, 1);
    add_verbs(app, chosen);
  }
  CLI::App app{"Toolway executes tool calls", "toolway"};
  Chosen chosen;
};

}  // namespace toolway::cli::help
