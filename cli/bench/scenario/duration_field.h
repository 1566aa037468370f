#pragma once

#include <string_view>

#include "base/result.h"
#include "tools/specs/fields.h"

namespace toolway::cli::bench::scenario {

/// `1500ms`, `10s`, `2m`, `1h` as seconds. Errors: kInvalidRequest.
Result<double> parse_duration(std::string_view text);

/// Reads a field such as `10s` into seconds; reports what is not a duration, or out of range.
void read_duration(tools::specs::Fields& fields, std::string_view name, double& seconds,
                   toolway::Range<double> range);

}  // namespace toolway::cli::bench::scenario
