#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/keys/verbs.h"
#include "cli/terminal/view_options.h"

namespace toolway::cli::keys {

/// Adds `toolway keys` with its verbs. Whichever is chosen is put into `verb`; all must outlive
/// `app`.
void add_key_verbs(CLI::App& app, KeyOptions& options, terminal::ViewOptions& view,
                   std::function<int()>& verb);

}  // namespace toolway::cli::keys
