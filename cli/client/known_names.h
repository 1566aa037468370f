#pragma once

#include <string>
#include <vector>

#include "cli/client/http_client.h"
#include "cli/help/completion.h"

namespace toolway::cli::client {

/// What a gateway knows of the kind that completion asks for; nothing when it does not answer
/// within a second. The ids of calls are those of `candidates.session`, or of the user's newest.
std::vector<std::string> known_names(ClientOptions http, const help::Candidates& candidates);

}  // namespace toolway::cli::client
