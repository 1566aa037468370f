#include "cli/bench/measures/floor_ratio.h"

#include <gtest/gtest.h>

namespace toolway::cli::bench::measures {
namespace {

const figures::Figures kStack{
    {"calls_per_s", 9000}, {"completion.p50", 0.8}, {"completion.p99", 6.0}};

TEST(FloorRatio, SharesAreOfTheMeanOfBeforeAndAfter) {
  const Floors floors{
      .threads = {.before = {.calls_per_s = 11000}, .after = {.calls_per_s = 13000}},
      .loop = {.before = {.calls_per_s = 20000}, .after = {.calls_per_s = 16000}}};
  const auto report = compare_with_floors(kStack, floors, false);
  EXPECT_DOUBLE_EQ(report.figures.at("floor_ratio"), 0.75);
  EXPECT_DOUBLE_EQ(report.figures.at("loop_floor_ratio"), 0.5);
  EXPECT_EQ(report.figures.size(), 2U);
  EXPECT_EQ(report.json["floor"]["calls_per_s"], 12000);
  EXPECT_EQ(report.json["loop_floor"]["ratio"], 0.5);
  EXPECT_EQ(
      report.text,
      "floor (the messages alone, over nats.c's own threads): 12000 calls/s (11000 before, "
      "13000 after); the stack makes 0.75 of the floor\n"
      "loop's floor (the same, over our loop): 18000 calls/s (20000 before, 16000 after); the "
      "stack makes 0.50 of the loop's floor\n");
}

TEST(FloorRatio, AnOpenLoopComparesLatencies) {
  const FloorResult threads{.calls_per_s = 1000, .p50_ms = 0.4, .p99_ms = 3};
  const FloorResult loop{.calls_per_s = 1000, .p50_ms = 0.2, .p99_ms = 1.5};
  const auto report = compare_with_floors(kStack, {{threads, threads}, {loop, loop}}, true);
  EXPECT_DOUBLE_EQ(report.figures.at("floor_p50_times"), 2);
  EXPECT_DOUBLE_EQ(report.figures.at("floor_p99_times"), 2);
  EXPECT_DOUBLE_EQ(report.figures.at("loop_floor_p50_times"), 4);
  EXPECT_DOUBLE_EQ(report.figures.at("loop_floor_p99_times"), 4);
  EXPECT_FALSE(report.figures.contains("floor_ratio"));
  EXPECT_EQ(report.json["floor"]["p99_ms"], 3);
}

TEST(FloorRatio, AFloorWithoutAResultIsNotDividedBy) {
  const auto report = compare_with_floors(kStack, {}, false);
  EXPECT_EQ(report.figures.at("floor_ratio"), 0);
}

}  // namespace
}  // namespace toolway::cli::bench::measures
