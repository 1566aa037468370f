#pragma once

#include "cli/bench/options/options.h"
#include "cli/terminal/style.h"

namespace toolway::cli::bench::run {

/// `toolway bench --scenario FILE`: makes the load, reports, compares with the last stored run of
/// the same scenario, and says by its exit status whether every threshold holds.
int run_scenario(const options::ScenarioOptions& options, const terminal::Style& style);

}  // namespace toolway::cli::bench::run
