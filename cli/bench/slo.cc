#include "cli/bench/slo.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <string_view>

namespace toolway::cli {
namespace {

constexpr std::array<std::string_view, 4> kStages{"accepted", "first_event", "completion", "recorded"};
constexpr std::array<std::string_view, 5> kPercentiles{"p50", "p90", "p95", "p99", "p999"};
constexpr std::array<std::string_view, 7> kNumbers{"calls", "calls_per_s", "errors", "floor_ratio",
                                                   "per_session_kb", "per_follower_kb", "worker_mb"};

template <typename List>
bool is_one_of(const List& list, std::string_view name) {
  for (const auto entry : list)
    if (entry == name) return true;
  return false;
}

bool is_latency(std::string_view metric) {
  const auto dot = metric.find('.');
  return dot != std::string_view::npos && is_one_of(kStages, metric.substr(0, dot)) &&
         is_one_of(kPercentiles, metric.substr(dot + 1));
}

/// Milliseconds per unit; 0: no unit of ours.
double unit_ms(std::string_view unit) {
  if (unit == "us") return 0.001;
  if (unit == "ms") return 1;
  if (unit == "s") return 1000;
  return 0;
}

}  // namespace

bool Slo::holds(double value) const {
  switch (relation) {
    case Relation::kLess: return value < bound;
    case Relation::kLessOrEqual: return value <= bound;
    case Relation::kGreater: return value > bound;
    case Relation::kGreaterOrEqual: return value >= bound;
    case Relation::kEqual: return value == bound;
  }
  return false;
}

Result<Slo> parse_slo(const std::string& text) {
  std::string compact;
  for (const char byte : text)
    if (byte != ' ') compact += byte;
  const auto wrong = [&](const char* why) {
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("--slo \"{}\": {}; write for example completion.p99<15ms, "
                            "calls_per_s>=7000 or errors==0",
                            text, why));
  };
  const auto at = compact.find_first_of("<>=");
  if (at == std::string::npos) return wrong("there is no <, <=, >, >= or ==");
  Slo slo{.text = text, .metric = compact.substr(0, at)};
  const bool or_equal = at + 1 < compact.size() && compact[at + 1] == '=';
  if (compact[at] == '=' && !or_equal) return wrong("equality is written ==");
  using enum Slo::Relation;
  slo.relation = compact[at] == '<'   ? (or_equal ? kLessOrEqual : kLess)
                 : compact[at] == '>' ? (or_equal ? kGreaterOrEqual : kGreater)
                                      : kEqual;
  const auto number = compact.substr(at + (or_equal ? 2 : 1));
  char* end = nullptr;
  slo.bound = std::strtod(number.c_str(), &end);
  const std::string unit(end);
  if (end == number.c_str()) return wrong("there is no number");
  if (is_latency(slo.metric)) {
    if (unit_ms(unit) == 0) return wrong("a latency needs us, ms or s");
    slo.bound *= unit_ms(unit);
  } else if (is_one_of(kNumbers, slo.metric)) {
    if (!unit.empty()) return wrong("this number has no unit");
  } else {
    return wrong("no such metric");
  }
  return slo;
}

}  // namespace toolway::cli
