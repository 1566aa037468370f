#include "cli/bench/slo.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace toolway::cli {
namespace {

constexpr std::array<std::string_view, 4> kStages{"accepted", "first_event", "completion",
                                                  "recorded"};
constexpr std::array<std::string_view, 5> kPercentiles{"p50", "p90", "p95", "p99", "p999"};
constexpr std::array<std::string_view, 7> kNumbers{
    "calls",          "calls_per_s",     "errors",   "floor_ratio",
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

}  // namespace

Result<Slo> parse_slo(const std::string& text) {
  const auto wrong = [&](const std::string& why) {
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("--slo \"{}\": {}; write for example completion.p99<15ms, "
                            "calls_per_s>=7000 or errors==0",
                            text, why));
  };
  const auto condition = parse_condition(text);
  if (!condition) return wrong(condition.error().message);
  Slo slo{.text = text,
          .metric = condition->metric,
          .relation = condition->relation,
          .bound = condition->number};
  if (is_latency(slo.metric)) {
    if (unit_ms(condition->unit) == 0) return wrong("a latency needs us, ms or s");
    slo.bound *= unit_ms(condition->unit);
  } else if (is_one_of(kNumbers, slo.metric)) {
    if (!condition->unit.empty()) return wrong("this number takes no unit");
  } else {
    return wrong("no such metric");
  }
  return slo;
}

}  // namespace toolway::cli
