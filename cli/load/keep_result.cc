#include "cli/load/keep_result.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "cli/load/store.h"

namespace toolway::cli {
namespace {

Result<void> write(const std::string& file, const std::string& text) {
  if (file.empty() || (std::ofstream(file) << text)) return {};
  return fail(ErrorCode::kInvalidRequest, fmt::format("cannot write {}", file));
}

std::string subtitle(const Outcome& outcome, const OrderedJson& facts) {
  const auto& figures = outcome.figures;
  return fmt::format("{}: {:.0f} calls in {:.0f} s, p50 {:.1f} ms, p99 {:.1f} ms; {} cores, load average {:.1f} before",
                     facts["started_at"].get<std::string>().substr(0, 10), figures.at("calls"), outcome.seconds, figures.at("p50"), figures.at("p99"),
                     facts["machine"]["cores"].get<unsigned>(), facts["machine"]["load_before"].get<double>());
}

}  // namespace

Plot plot_of(const Scenario& scenario, const Outcome& outcome, const std::string& subtitle) {
  Plot plot{.title = scenario.name, .subtitle = subtitle, .at = {}, .panels = {}, .marks = {}};
  PlotPanel latency{.title = "from due to completed, ms", .scale = PlotPanel::Scale::kLogarithmic,
                    .lines = {{"p50", "#2563eb", {}}, {"p99", "#ea580c", {}}}};
  PlotPanel rate{.title = "calls completed a second, by when they were due", .lines = {{"calls/s", "#0d9488", {}}}};
  for (const auto& point : series(outcome.record, 300)) {
    plot.at.push_back(point.at);
    latency.lines[0].values.push_back(point.p50_ms);
    latency.lines[1].values.push_back(point.p99_ms);
    rate.lines[0].values.push_back(point.rate);
  }
  plot.panels = {std::move(latency), std::move(rate)};
  for (const auto& done : outcome.stack.done) plot.marks.push_back({done.at, done.what});
  return plot;
}

Result<void> keep_result(const Scenario& scenario, const Outcome& outcome, const ScenarioOptions& options, const OrderedJson& before) {
  auto result = before;
  result.update(to_json(scenario, outcome));
  if (auto written = write(options.json, result.dump(1) + "\n"); !written) return written;
  if (auto written = write(options.svg, to_svg(plot_of(scenario, outcome, subtitle(outcome, before)))); !written) return written;
  if (options.store.empty()) return {};
  const ResultStore store(options.store);
  if (const auto last = store.last(scenario.name)) {
    fmt::print("\nbeside the last run, of {}:\n", last->value("started_at", "an unknown time"));
    for (const auto& line : compare(*last, result)) fmt::print("  {}\n", line);
  }
  const auto kept = store.keep(scenario.name, before["started_at"].get<std::string>(), result);
  if (!kept) return fail(kept.error());
  const auto plot = kept->substr(0, kept->size() - 5) + ".svg";
  if (auto written = write(plot, to_svg(plot_of(scenario, outcome, subtitle(outcome, before)))); !written) return written;
  fmt::print("\nkept: {}, its plot beside it (.svg)\n", *kept);
  return {};
}

}  // namespace toolway::cli
