#pragma once

#include <string>

#include "base/result.h"
#include "cli/bench/condition.h"

namespace toolway::cli {

/// One condition on the result: `completion.p99<15ms`, `calls_per_s>=7000`, `errors==0`.
struct Slo {
  std::string text;
  std::string metric;
  Condition::Relation relation = Condition::Relation::kLess;
  double bound = 0;  ///< of a latency: milliseconds

  bool holds(double value) const { return cli::holds(relation, value, bound); }
};

/// Latencies are accepted, first_event, completion and recorded with p50, p90,
/// p95, p99 or p999, and take a unit (us, ms, s); numbers are calls, calls_per_s,
/// errors, floor_ratio, per_session_kb, per_follower_kb and worker_mb. Errors: kInvalidRequest.
Result<Slo> parse_slo(const std::string& text);

}  // namespace toolway::cli
