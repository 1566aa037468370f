#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/audit/verbs.h"
#include "cli/terminal/view_options.h"

namespace toolway::cli::audit {

/// Adds `toolway audit` with its verbs. Whichever is chosen is put into `verb`; all must outlive
/// `app`.
void add_audit_verbs(CLI::App& app, AuditOptions& options, terminal::ViewOptions& view,
                     std::function<int()>& verb);

}  // namespace toolway::cli::audit
