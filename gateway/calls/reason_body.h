#pragma once

#include <string>
#include <string_view>

#include "extensions/chain/policy_board.h"
#include "gateway/wire/problem.h"

namespace toolway::gateway::calls {

/// Reads the body `{reason?}` of a cancellation or a decision, without what the policy's patterns
/// match; empty: none is given. Errors:
/// invalid_request.
wire::HttpResult<std::string> parse_reason(std::string_view body,
                                           const extensions::chain::PolicyBoard& policies);

/// The reason without what the policy's patterns match.
std::string masked_reason(std::string reason, const extensions::chain::PolicyBoard& policies);

}  // namespace toolway::gateway::calls
