#include "cli/bench/figures/threshold.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace toolway::cli::bench::figures {
namespace {

using enum FigureOf;

constexpr auto kFigures = std::to_array<FigureName>({
    // From when a call was due to its completion on the event stream.
    {"p50", "ms"},
    {"p90", "ms"},
    {"p95", "ms"},
    {"p99", "ms"},
    {"p999", "ms"},
    {"max", "ms"},
    {"accepted.p50", "ms"},
    {"accepted.p90", "ms"},
    {"accepted.p95", "ms"},
    {"accepted.p99", "ms"},
    {"accepted.p999", "ms"},
    {"accepted.max", "ms"},
    {"first_event.p50", "ms"},
    {"first_event.p90", "ms"},
    {"first_event.p95", "ms"},
    {"first_event.p99", "ms"},
    {"first_event.p999", "ms"},
    {"first_event.max", "ms"},
    {"calls", ""},
    {"calls_per_s", ""},
    {.name = "failed", .unit = "", .correctness = true},
    {"refused", ""},
    {"error_rate", "%"},
    {.name = "lost", .unit = "", .correctness = true},
    {.name = "repeats", .unit = "", .correctness = true},
    {"retries", ""},
    {"lag", "ms", kRun},
    {"lag_growth", "ms", kRun},
    {"lag_messages", "", kRun},
    {"lag_messages_growth", "", kRun},
    {"memory_growth", "%", kRun},
    {"fds_growth", "", kRun},
    {"threads_growth", "", kRun},
    {"take_up", "ms", kRun},
    {"takeover.p50", "ms", kRun},
    {"takeover.p99", "ms", kRun},
    {"takeover.max", "ms", kRun},
    {"unknown.p50", "ms", kRun},
    {"unknown.p99", "ms", kRun},
    {"unknown.max", "ms", kRun},
    {"completion.p50", "ms", kBench},
    {"completion.p90", "ms", kBench},
    {"completion.p95", "ms", kBench},
    {"completion.p99", "ms", kBench},
    {"completion.p999", "ms", kBench},
    {"completion.max", "ms", kBench},
    {"recorded.p50", "ms", kBench},
    {"recorded.p90", "ms", kBench},
    {"recorded.p95", "ms", kBench},
    {"recorded.p99", "ms", kBench},
    {"recorded.p999", "ms", kBench},
    {"recorded.max", "ms", kBench},
    {"errors", "", kBench},
    {"floor_ratio", "", kBench},
    {"loop_floor_ratio", "", kBench},
    {"floor_p50_times", "", kBench},
    {"floor_p99_times", "", kBench},
    {"loop_floor_p50_times", "", kBench},
    {"loop_floor_p99_times", "", kBench},
    {"per_session_kb", "", kBench},
    {"per_follower_kb", "", kBench},
    {"worker_mb", "", kBench},
});

bool may_name(FigureOf where, const FigureName& figure) {
  return figure.of == kCalls || figure.of == where;
}

std::string names(FigureOf where) {
  std::vector<std::string_view> list;
  for (const auto& figure : kFigures)
    if (figure.name.find('.') == std::string_view::npos && may_name(where, figure))
      list.push_back(figure.name);
  return fmt::format("{}, accepted.p99, first_event.p99, {} and the like", fmt::join(list, ", "),
                     where == kBench ? "completion.p99, recorded.p99" : "takeover.p99");
}

}  // namespace

const FigureName* find_figure(std::string_view name) {
  const auto* found = std::find_if(kFigures.begin(), kFigures.end(),
                                   [&](const FigureName& figure) { return figure.name == name; });
  return found == kFigures.end() ? nullptr : found;
}

Result<Threshold> parse_threshold(const std::string& text, FigureOf of) {
  const auto wrong = [&](const std::string& why) {
    constexpr auto kExample =
        "; write for example completion.p99<15ms, calls_per_s>=7000 or errors==0";
    return fail(ErrorCode::kInvalidRequest,
                of == kBench ? fmt::format("--slo \"{}\": {}{}", text, why, kExample)
                             : fmt::format("threshold \"{}\": {}", text, why));
  };
  const auto condition = parse_condition(text);
  if (!condition)
    return wrong(condition.error().message +
                 (of == kBench
                      ? ""
                      : "; write for example `p99 < 50ms`, `error_rate < 0.1%` or `lost == 0`"));
  const auto* figure = find_figure(condition->metric);
  if (figure != nullptr && figure->of == kRun && of == kCalls)
    return wrong("this is a figure of the whole run, not of a group: write it next to `groups`");
  if (figure == nullptr || !may_name(of, *figure))
    return wrong(fmt::format("no figure has this name; there are {}", names(of)));
  Threshold threshold{.text = text,
                      .metric = condition->metric,
                      .relation = condition->relation,
                      .bound = condition->number};
  if (figure->unit == "ms") {
    if (unit_ms(condition->unit) == 0) return wrong("a time needs us, ms or s");
    threshold.bound *= unit_ms(condition->unit);
  } else if (condition->unit != figure->unit) {
    return wrong(figure->unit.empty() ? "this number takes no unit" : "this share needs %");
  }
  return threshold;
}

Judged judge(const Threshold& threshold, const std::string& group, const Figures& figures) {
  Judged judged{.threshold = threshold, .group = group};
  const auto found = figures.find(threshold.metric);
  if (found == figures.end() || std::isnan(found->second)) return judged;
  judged.measured = true;
  judged.value = found->second;
  judged.holds = threshold.holds(judged.value);
  return judged;
}

std::string figure_text(std::string_view name, double value) {
  const auto* figure = find_figure(name);
  if (std::isnan(value)) return "unknown";
  if (figure == nullptr) return fmt::format("{:g}", value);
  if (figure->unit == "ms")
    return value >= 10'000 ? fmt::format("{:.1f} s", value / 1000)
                           : fmt::format("{:.2f} ms", value);
  if (figure->unit == "%") return fmt::format("{:.3g} %", value);
  return value == static_cast<double>(static_cast<std::int64_t>(value))
             ? fmt::format("{:.0f}", value)
             : fmt::format("{:.1f}", value);
}

}  // namespace toolway::cli::bench::figures
