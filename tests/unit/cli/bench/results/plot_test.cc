// After a change that is meant: TOOLWAY_WRITE_GOLDEN=1 build/tests/unit_cli_tests, and look at the
// picture.
#include "cli/bench/results/plot.h"

#include <fmt/format.h>
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
                    .lines = {{"p50", "#2563eb", {}}, {"p99", "#ea580c", {}}},
                    .limits = {{500, "p99 < 500ms"}}};
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

/// A number of the first part of the document that begins like this.
double number_after(const std::string& svg, const std::string& begin) {
  const auto at = svg.find(begin);
  EXPECT_NE(at, std::string::npos) << begin;
  return at == std::string::npos ? -1 : std::stod(svg.substr(at + begin.size()));
}

TEST(Plot, MarksThatAreCloseHaveTheirWordsBelowEachOther) {
  auto plot = example();
  plot.marks.clear();
  for (int i = 0; i < 6; ++i)
    plot.marks.push_back({1.5 * i, fmt::format("restart of worker-{}", i)});
  const auto svg = to_svg(plot);
  for (const auto& mark : plot.marks)
    EXPECT_NE(svg.find(">" + mark.text + "<"), std::string::npos) << mark.text;
}

TEST(Plot, ANameIsNextToItsPieceOfLine) {
  const auto svg = to_svg(example());
  const auto word = svg.find(">calls/s</text>");
  ASSERT_NE(word, std::string::npos);
  const auto glyph = svg.rfind("<line ", word);
  const auto end = number_after(svg.substr(glyph), "x2=\"");
  const auto text = number_after(svg.substr(svg.rfind("<text ", word)), "x=\"");
  EXPECT_NEAR(text - end, 5, 0.2);
}

TEST(Plot, TheHighestValueDoesNotTouchTheTop) {
  const auto svg = to_svg({.title = "t",
                           .subtitle = "",
                           .at = {0, 1},
                           .panels = {{.title = "p", .lines = {{"l", "#000", {2000, 2000}}}}},
                           .marks = {}});
  EXPECT_GT(number_after(svg, "<polyline points=\"72.0,"), 84 + 10);
}

TEST(Plot, LimitsAreDrawnAndSeenOnDarkPagesToo) {
  const auto svg = to_svg(example());
  EXPECT_NE(svg.find(">p99 &lt; 500ms<"), std::string::npos);
  EXPECT_NE(svg.find("prefers-color-scheme: dark"), std::string::npos);
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
