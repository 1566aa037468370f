#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/authoring/new_tool.h"
#include "cli/authoring/run_tool.h"
#include "cli/terminal/view_options.h"

namespace toolway::cli::authoring {

/// The options of `toolway tools new` and `toolway tools run`.
struct AloneOptions {
  NewTool made;
  std::string into;  ///< empty: my-tools, or this directory for native tools
  RunToolOptions run;
};

/// Adds `new` and `run`, which need no fleet, to `toolway tools`. Whichever is chosen is put into
/// `verb`; all must outlive `tools`.
void add_alone_verbs(CLI::App& tools, AloneOptions& options, terminal::ViewOptions& view,
                     std::function<int()>& verb);

}  // namespace toolway::cli::authoring
