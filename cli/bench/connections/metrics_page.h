#pragma once

#include <string>

#include "base/result.h"

namespace toolway::cli::bench::connections {

/// What the /metrics at this address says, a second at most. Errors: the client's, kInvalidRequest
/// (another status than 2xx).
Result<std::string> metrics_page(const std::string& url);

}  // namespace toolway::cli::bench::connections
