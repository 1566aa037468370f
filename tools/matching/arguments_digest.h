#pragma once

#include <string>

#include "base/json.h"

namespace toolway::tools::matching {

/// `sha256:<hex>` of the arguments' canonical text: keys sorted, and a whole number is the same
/// with and without a fraction. Pure.
std::string arguments_digest(const Json& arguments);

}  // namespace toolway::tools::matching
