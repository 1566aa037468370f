#pragma once

#include <vector>

#include "cli/bench/scenario/scenario.h"
#include "tools/specs/fields.h"

namespace toolway::cli::bench::scenario {

/// Reads `actions` of a scenario that lasts `seconds`; one with `every` stands for all that fit. By
/// time.
std::vector<Action> read_actions(tools::specs::Fields& fields, double seconds);

}  // namespace toolway::cli::bench::scenario
