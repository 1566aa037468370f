#pragma once

#include <string>

#include "base/json.h"

namespace toolway::tools::matching {

/// SHA-256 of the arguments' canonical text, 32 bytes: keys sorted, and a whole number is the same
/// with and without a fraction. Pure.
std::string arguments_sha256(const Json& arguments);
/// The same as `sha256:<hex>`.
std::string arguments_digest(const Json& arguments);

}  // namespace toolway::tools::matching
