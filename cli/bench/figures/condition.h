#pragma once

#include <string>

#include "base/result.h"

namespace toolway::cli::bench::figures {

/// `NAME RELATION NUMBER[UNIT]`, such as `completion.p99<15ms` or `lost == 0`. Blanks do not count.
struct Condition {
  enum class Relation { kLess, kLessOrEqual, kGreater, kGreaterOrEqual, kEqual };
  std::string metric;
  Relation relation = Relation::kLess;
  double number = 0;
  std::string unit;  ///< as written
};

/// Errors: kInvalidRequest; its message says only what is wrong.
Result<Condition> parse_condition(const std::string& text);

bool holds(Condition::Relation relation, double value, double bound);

/// Milliseconds per `us`, `ms` or `s`; 0: no unit of time.
double unit_ms(const std::string& unit);

}  // namespace toolway::cli::bench::figures
