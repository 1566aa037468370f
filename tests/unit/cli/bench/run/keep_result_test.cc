#include "cli/bench/run/keep_result.h"

#include <gtest/gtest.h>

namespace toolway::cli::bench::run {
namespace {

TEST(KeepResult, ItsPlotHasTheLinesAndWhatWasDoneToTheStack) {
  scenario::Scenario scenario;
  scenario.name = "steady";
  for (const char* text : {"p99 < 50ms", "error_rate < 1%"})
    scenario.thresholds.push_back(*figures::parse_threshold(text, figures::FigureOf::kRun));
  RunResult result;
  for (int second = 0; second < 3; ++second)
    for (int call = 0; call < 2; ++call)
      result.record.completed(second + 0.5, {.completion = static_cast<float>(10 * second + 5)});
  result.stack.done.push_back({.at = 1.5, .what = "kill worker"});

  const auto plot = plot_of(scenario, result, "below it");

  EXPECT_EQ(plot.title, "steady");
  EXPECT_EQ(plot.subtitle, "below it");
  EXPECT_EQ(plot.at, (std::vector<double>{0, 1, 2}));
  ASSERT_EQ(plot.panels.size(), 2U);
  const auto& latency = plot.panels[0];
  EXPECT_EQ(latency.scale, results::PlotScale::kLogarithmic);
  ASSERT_EQ(latency.lines.size(), 3U);
  ASSERT_EQ(latency.limits.size(), 1U) << "of what is shown";
  EXPECT_DOUBLE_EQ(latency.limits[0].value, 50);
  EXPECT_EQ(latency.lines[0].name, "p50");
  EXPECT_EQ(latency.lines[0].values, (std::vector<double>{5, 15, 25}));
  EXPECT_EQ(latency.lines[1].name, "p95");
  EXPECT_EQ(latency.lines[2].values, (std::vector<double>{5, 15, 25}));
  ASSERT_EQ(plot.panels[1].lines.size(), 1U);
  EXPECT_EQ(plot.panels[1].lines[0].values, (std::vector<double>{2, 2, 2}));
  ASSERT_EQ(plot.marks.size(), 1U);
  EXPECT_DOUBLE_EQ(plot.marks[0].at, 1.5);
  EXPECT_EQ(plot.marks[0].text, "kill worker");
}

TEST(KeepResult, ARunWithoutCallsHasAnEmptyPlot) {
  const auto plot = plot_of({}, {}, "");
  EXPECT_TRUE(plot.at.empty());
  EXPECT_TRUE(plot.marks.empty());
  EXPECT_EQ(plot.panels.size(), 2U);
}

}  // namespace
}  // namespace toolway::cli::bench::run
