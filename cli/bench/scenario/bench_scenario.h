#pragma once

#include "cli/bench/options/options.h"
#include "cli/bench/scenario/scenario.h"

namespace toolway::cli::bench::scenario {

/// The load of `bench` as a scenario of one group. Pure.
Scenario scenario_of(const options::BenchOptions& options);

}  // namespace toolway::cli::bench::scenario
