#pragma once

#include <string_view>

#include "base/strict_object.h"
#include "gateway/wire/problem.h"

namespace toolway::gateway::wire {

/// The members of an untrusted object.
using BodyReader = StrictObject<Json>;

/// Parses a body that must be an object. Errors: malformed_json, invalid_request.
HttpResult<Json> parse_body(std::string_view body);

/// A whole number from 1 to 2^32 - 1; otherwise 0, and a mistake unless it is not there.
std::uint32_t read_count(BodyReader& reader, std::string_view name);

}  // namespace toolway::gateway::wire
