#pragma once

#include <string>

#include "cli/client/verbs.h"

namespace toolway::cli::client {

enum class WhenClosed { kLeave, kRestore };

/// Opens the session with every namespace, also those that come later, unless it exists. Reports
/// what goes wrong, and what was restored. The exit status.
int ensure_session(const ClientContext& context, HttpClient& client, const std::string& session,
                   WhenClosed when_closed);

}  // namespace toolway::cli::client
