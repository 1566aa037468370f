#pragma once

#include <string>

#include "base/json.h"
#include "cli/bench/figures/threshold.h"
#include "cli/bench/measures/floor.h"

namespace toolway::cli::bench::measures {

/// A stack's figures next to the floors'.
struct FloorReport {
  figures::Figures figures;  ///< by the names that --slo has for them
  OrderedJson json;          ///< `floor` and `loop_floor`, as --json has them
  std::string text;          ///< a line for each floor
};

/// What share of the floors' calls/s the stack makes; or, of an open loop, how many times their
/// latency it takes. `stack` has `calls_per_s`, `completion.p50` and `completion.p99`. Pure.
FloorReport compare_with_floors(const figures::Figures& stack, const Floors& floors,
                                bool open_loop);

}  // namespace toolway::cli::bench::measures
