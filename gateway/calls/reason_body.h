#pragma once

#include <string>
#include <string_view>

#include "gateway/wire/problem.h"

namespace toolway::gateway::calls {

/// Reads the body `{reason?}` of a cancellation or a decision; empty: none is given. Errors:
/// invalid_request.
wire::HttpResult<std::string> parse_reason(std::string_view body);

}  // namespace toolway::gateway::calls
