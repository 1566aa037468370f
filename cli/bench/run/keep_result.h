#pragma once

#include "base/result.h"
#include "cli/bench/options/options.h"
#include "cli/bench/results/plot.h"
#include "cli/bench/run/run_result.h"

namespace toolway::cli::bench::run {

/// Latency and rate of a run over time, with what was done to the stack. Pure.
results::Plot plot_of(const scenario::Scenario& scenario, const RunResult& result,
                      const std::string& subtitle);

/// Writes the result where the options want it: --json, --svg, the store. Says how it compares with
/// the last stored one of the same scenario. `before`: facts of the machine and the program from
/// before the run, and its options.
Result<void> keep_result(const scenario::Scenario& scenario, const RunResult& result,
                         const options::ScenarioOptions& options, const OrderedJson& before);

}  // namespace toolway::cli::bench::run
