#pragma once

#include <map>
#include <string>

#include "base/result.h"

namespace toolway::cli {

/// One condition on the result: `completion.p99<15ms`, `calls_per_s>=7000`, `errors==0`.
struct Slo {
  enum class Relation { kLess, kLessOrEqual, kGreater, kGreaterOrEqual, kEqual };
  std::string text;
  std::string metric;
  Relation relation = Relation::kLess;
  double bound = 0;  ///< of a latency: milliseconds

  bool holds(double value) const;
};

/// Latencies are accepted, first_event, completion and recorded with p50, p90,
/// p95, p99 or p999, and take a unit (us, ms, s); numbers are calls, calls_per_s,
/// errors, floor_ratio, per_session_kb, per_follower_kb and worker_mb. Errors: kInvalidRequest.
Result<Slo> parse_slo(const std::string& text);

}  // namespace toolway::cli
