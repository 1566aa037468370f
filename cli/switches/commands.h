#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/switches/verbs.h"
#include "cli/terminal/view_options.h"

namespace toolway::cli::switches {

/// Adds `disable`, `enable` and `disabled` to `toolway tools`. Whichever is chosen is put into
/// `verb`; all must outlive `tools`.
void add_switch_verbs(CLI::App& tools, SwitchOptions& options, terminal::ViewOptions& view,
                      std::function<int()>& verb);

}  // namespace toolway::cli::switches
