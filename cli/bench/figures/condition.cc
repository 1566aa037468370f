#include "cli/bench/figures/condition.h"

#include <cmath>
#include <cstdlib>

namespace toolway::cli::bench::figures {

Result<Condition> parse_condition(const std::string& text) {
  std::string compact;
  for (const char byte : text)
    if (byte != ' ') compact += byte;
  const auto at = compact.find_first_of("<>=");
  if (at == std::string::npos)
    return fail(ErrorCode::kInvalidRequest, "it has no <, <=, >, >= or ==");
  const bool or_equal = at + 1 < compact.size() && compact[at + 1] == '=';
  if (compact[at] == '=' && !or_equal)
    return fail(ErrorCode::kInvalidRequest, "equality is written ==");
  using enum Condition::Relation;
  Condition condition{.metric = compact.substr(0, at)};
  condition.relation = compact[at] == '<'   ? (or_equal ? kLessOrEqual : kLess)
                       : compact[at] == '>' ? (or_equal ? kGreaterOrEqual : kGreater)
                                            : kEqual;
  const auto number = compact.substr(at + (or_equal ? 2 : 1));
  char* end = nullptr;
  condition.number = std::strtod(number.c_str(), &end);
  condition.unit = end;
  if (end == number.c_str() || !std::isfinite(condition.number))
    return fail(ErrorCode::kInvalidRequest, "it has no number");
  return condition;
}

bool holds(Condition::Relation relation, double value, double bound) {
  switch (relation) {
    case Condition::Relation::kLess: return value < bound;
    case Condition::Relation::kLessOrEqual: return value <= bound;
    case Condition::Relation::kGreater: return value > bound;
    case Condition::Relation::kGreaterOrEqual: return value >= bound;
    case Condition::Relation::kEqual: return value == bound;
  }
  return false;
}

double unit_ms(const std::string& unit) {
  if (unit == "us") return 0.001;
  if (unit == "ms") return 1;
  if (unit == "s") return 1000;
  return 0;
}

}  // namespace toolway::cli::bench::figures
