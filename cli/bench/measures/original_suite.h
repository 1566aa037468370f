#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/bench/options/options.h"
#include "cli/bench/results/judged_table.h"
#include "cli/terminal/style.h"

namespace toolway::cli::bench::measures {

/// What was measured, as numbers.
struct SuiteMeasured {
  double p50_ms = 0;  ///< of calls, from due to completed
  double p99_ms = 0;
  unsigned sessions = 0;       ///< followed and called at once
  double sessions_p99_ms = 0;  ///< of their calls
  double session_mb = 0;       ///< of all processes, for each of those sessions
  double overhead_kb = 0;      ///< of a gateway, for each open session
  double close_p99_ms = 0;
  double restore_p99_ms = 0;
  double calls_per_s = 0;
  double errors = 0;  ///< calls lost, failed, refused, or seen twice, in all of it
};

/// The six benchmarks of the original design, in words, with how each was measured. Pure.
std::vector<results::JudgedFigure> suite_figures(const SuiteMeasured& measured);

/// `toolway bench --suite original`: measures all six on a stack of its own, in a minute, prints
/// them next to their targets, and keeps the result. 0 when every target is reached.
int run_original_suite(const options::ScenarioOptions& options, const terminal::Style& style);

}  // namespace toolway::cli::bench::measures
