#pragma once

#include <memory>
#include <vector>

#include "extensions/policy.h"
#include "tools/specs/fields.h"

namespace toolway::extensions::reader {

/// `patterns`: regular expressions of what reads `[secret]`. What is wrong goes to the fields'
/// mistakes. Pure.
std::vector<std::shared_ptr<const tools::schema::Pattern>> read_patterns(
    tools::specs::Fields& fields);

/// `log: {calls: refused, slow_ms: 10000}`
LogRules read_log(const tools::specs::Located& map, Mistakes& mistakes);

}  // namespace toolway::extensions::reader
