#pragma once

#include <string>

#include "cli/client/verbs.h"

namespace toolway::cli::talk {

/// Prints the newest calls of a session, newest first, for `/calls`. The exit status.
int print_calls(const client::ClientContext& context, client::HttpClient& http,
                const std::string& session);

}  // namespace toolway::cli::talk
