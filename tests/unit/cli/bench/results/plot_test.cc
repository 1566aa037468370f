// After a change that is meant: TOOLWAY_WRITE_GOLDEN=1 build/tests/unit_cli_tests, and look at the
// picture.
#include "cli/bench/results/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/bench/results/plot_axis.h"
#include "tests/paths.h"

namespace toolway::cli::bench::results {
namespace {

Plot example() {
  Plot plot{.title = "burst: latency & rate",
            .subtitle = "30 s <with a burst>",
            .at = {},
            .panels = {},
            .marks = {{12, "restart of gateway-0"}, {28, "workers from 1 to 8"}}};
  PlotPanel latency{.title = "latency, ms",
                    .scale = PlotScale::kLogarithmic,
                    .lines = {{"p50", "#2563eb", {}}, {"p99", "#ea580c", {}}}};
  PlotPanel rate{.title = "completed a second", .lines = {{"calls/s", "#0d9488", {}}}};
  for (int i = 0; i < 30; ++i) {
    plot.at.push_back(i);
    latency.lines[0].values.push_back(1 + 0.5 * std::abs(i - 15.0));
    latency.lines[1].values.push_back(i == 12 ? 900 : 8 + i);
    rate.lines[0].values.push_back(i < 10 ? 200 : 1800);
  }
  plot.panels = {latency, rate};
  return plot;
}

TEST(Plot, IsTheOneThatWasLookedAt) {
  const std::string path = TOOLWAY_SOURCE_DIR "/tests/golden/plot.svg";
  const auto shown = to_svg(example());
  if (std::getenv("TOOLWAY_WRITE_GOLDEN") != nullptr) std::ofstream(path) << shown;
  std::ifstream in(path);
  std::stringstream golden;
  golden << in.rdbuf();
  EXPECT_EQ(shown, golden.str());
}

TEST(Plot, NothingBreaksOutOfItsText) {
  auto plot = example();
  plot.title = "</text><script>\"&\x01";
  const auto svg = to_svg(plot);
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;/text&gt;&lt;script&gt;&quot;&amp; "), std::string::npos);
}

TEST(Plot, OfNothingIsStillADocument) {
  EXPECT_NE(to_svg({}).find("</svg>"), std::string::npos);
  const Plot zeros{.title = "z",
                   .subtitle = "",
                   .at = {0, 1},
                   .panels = {{.title = "t", .lines = {{"l", "#000", {0, 0}}}}},
                   .marks = {}};
  EXPECT_EQ(to_svg(zeros).find("nan"), std::string::npos);
}

TEST(PlotAxis, TicksAreEasilyRead) {
  EXPECT_EQ(PlotAxis(0, 1732, PlotScale::kLinear).ticks(),
            (std::vector<double>{0, 500, 1000, 1500, 2000}));
  const PlotAxis log(0.7, 95, PlotScale::kLogarithmic);
  EXPECT_EQ(log.ticks().size(), 4U);
  EXPECT_DOUBLE_EQ(log.place(0.1), 0);
  EXPECT_NEAR(log.place(100), 1, 1e-9);
  EXPECT_NEAR(log.place(10), 2.0 / 3, 1e-9);
  EXPECT_DOUBLE_EQ(log.place(0), 0);
  EXPECT_EQ(tick_text(1500), "1,500");
  EXPECT_EQ(tick_text(0.1), "0.1");
  EXPECT_EQ(tick_text(2.5), "2.5");
  EXPECT_DOUBLE_EQ(tick_distance(60, 8), 10);
}

}  // namespace
}  // namespace toolway::cli::bench::results
