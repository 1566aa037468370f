#include "cli/bench/run/keep_result.h"

#include <fmt/format.h>

#include "base/try.h"
#include "cli/bench/results/run_facts.h"

namespace toolway::cli::bench::run {
namespace {

std::string subtitle(const RunResult& run_result, const OrderedJson& facts) {
  const auto& figures = run_result.figures;
  return fmt::format(
      "{}: {:.0f} calls in {:.0f} s, p50 {:.1f} ms, p99 {:.1f} ms; {} cores, load average {:.1f} before",
      facts["started_at"].get<std::string>().substr(0, 10), figures.at("calls"), run_result.seconds,
      figures.at("p50"), figures.at("p99"), facts["machine"]["cores"].get<unsigned>(),
      facts["machine"]["load_before"].get<double>());
}

/// Of the times that the plot shows.
std::vector<results::PlotLimit> limits_of(const std::vector<figures::Threshold>& thresholds) {
  std::vector<results::PlotLimit> limits;
  for (const auto& threshold : thresholds)
    if (threshold.metric == "p50" || threshold.metric == "p95" || threshold.metric == "p99")
      limits.push_back({threshold.bound, threshold.text});
  return limits;
}

}  // namespace

results::Plot plot_of(const scenario::Scenario& scenario, const RunResult& run_result,
                      const std::string& subtitle) {
  results::Plot plot{
      .title = scenario.name, .subtitle = subtitle, .at = {}, .panels = {}, .marks = {}};
  results::PlotPanel latency{
      .title = "from due to completed, ms",
      .scale = results::PlotScale::kLogarithmic,
      .lines = {{"p50", "#2563eb", {}}, {"p95", "#9333ea", {}}, {"p99", "#ea580c", {}}}};
  latency.limits = limits_of(scenario.thresholds);
  // The lines are of all groups together.
  if (scenario.groups.size() == 1)
    for (auto& limit : limits_of(scenario.groups.front().thresholds))
      latency.limits.push_back(std::move(limit));
  results::PlotPanel rate{.title = "calls completed per second, by when they were due",
                          .lines = {{"calls/s", "#0d9488", {}}}};
  for (const auto& point : series(run_result.record, 300)) {
    plot.at.push_back(point.at);
    latency.lines[0].values.push_back(point.p50_ms);
    latency.lines[1].values.push_back(point.p95_ms);
    latency.lines[2].values.push_back(point.p99_ms);
    rate.lines[0].values.push_back(point.rate);
  }
  plot.panels = {std::move(latency), std::move(rate)};
  for (const auto& done : run_result.stack.done) plot.marks.push_back({done.at, done.what});
  return plot;
}

Result<void> keep_result(const scenario::Scenario& scenario, const RunResult& run_result,
                         const options::ScenarioOptions& options, const OrderedJson& before) {
  auto result = before;
  result.update(to_json(scenario, run_result));
  const auto plot = results::to_svg(plot_of(scenario, run_result, subtitle(run_result, before)));
  RETURN_IF_ERROR(results::write_text(options.svg, plot));
  ASSIGN_OR_RETURN(const auto kept, results::keep_in_store(options, scenario.name, result));
  return results::write_text(kept.empty() ? "" : kept.substr(0, kept.size() - 5) + ".svg", plot);
}

}  // namespace toolway::cli::bench::run
