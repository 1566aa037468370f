#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/bench/figures/load_record.h"
#include "cli/bench/run/stack_operator.h"
#include "cli/bench/scenario/scenario.h"

namespace toolway::cli::bench::run {

/// All that a run of a scenario has shown.
struct RunResult {
  figures::LoadRecord record;  ///< of all groups
  figures::Figures figures;    ///< of the whole run
  std::map<std::string, figures::Figures> groups;
  std::vector<figures::Judged> judged;
  OperatorLog stack;  ///< of an own stack
  double seconds = 0;
  std::uint64_t broken_streams = 0;
  std::size_t takeovers = 0;  ///< calls of killed workers that began again
  std::size_t unknown = 0;    ///< those that ended as `unknown`

  bool holds() const;
};

/// p50, p95 and p99 of the calls that were due in one stretch of time, and how many were completed
/// a second.
struct Point {
  double at = 0;  ///< seconds, its beginning
  double p50_ms = 0;
  double p95_ms = 0;
  double p99_ms = 0;
  double rate = 0;
};
/// At most `most` stretches of equal length, of whole seconds. Pure.
std::vector<Point> series(const figures::LoadRecord& record, std::size_t most);

/// The result as `--json` and the store have it: figures, groups, thresholds, actions, resources,
/// series.
OrderedJson to_json(const scenario::Scenario& scenario, const RunResult& result);

/// The result in words.
std::string report_text(const scenario::Scenario& scenario, const RunResult& result);

}  // namespace toolway::cli::bench::run
