#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/policies/verbs.h"
#include "cli/terminal/view_options.h"

namespace toolway::cli::policies {

/// Adds `toolway extensions` with its verbs. Whichever is chosen is put into `verb`; all must
/// outlive `app`.
void add_policy_verbs(CLI::App& app, PolicyOptions& options, terminal::ViewOptions& view,
                      std::function<int()>& verb);

}  // namespace toolway::cli::policies
