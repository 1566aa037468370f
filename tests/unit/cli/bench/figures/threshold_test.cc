#include "cli/bench/figures/threshold.h"

#include <gtest/gtest.h>

#include "cli/bench/figures/load_record.h"

namespace toolway::cli::bench::figures {
namespace {

TEST(Threshold, KnowsUnitsAndRelations) {
  EXPECT_DOUBLE_EQ(parse_threshold("p99 < 0.5s", FigureOf::kCalls)->bound, 500);
  EXPECT_DOUBLE_EQ(parse_threshold("accepted.p999<=250us", FigureOf::kCalls)->bound, 0.25);
  EXPECT_TRUE(parse_threshold("error_rate<0.1%", FigureOf::kCalls)->holds(0.09));
  EXPECT_FALSE(parse_threshold("error_rate<0.1%", FigureOf::kCalls)->holds(0.1));
  EXPECT_TRUE(parse_threshold("lost == 0", FigureOf::kCalls)->holds(0));
  EXPECT_TRUE(parse_threshold("lag_growth < 1s", FigureOf::kRun)->holds(-5));
  for (const char* text : {"", "p99", "p99 < 50", "p98 < 5ms", "lost == 0ms", "error_rate < 1",
                           "lost = 0", "p99 < ms", "p99 < nan", "p99 < infms"})
    EXPECT_FALSE(parse_threshold(text, FigureOf::kRun)) << text;
  EXPECT_FALSE(parse_threshold("memory_growth < 5%", FigureOf::kCalls));
}

TEST(Threshold, OfSloNamesTheFiguresOfABench) {
  for (const char* text :
       {"completion.p99<15ms", "completion.p99 < 0.015 s", "completion.p99<15000us"}) {
    const auto slo = parse_threshold(text, FigureOf::kBench);
    ASSERT_TRUE(slo) << slo.error().message;
    EXPECT_EQ(slo->metric, "completion.p99");
    EXPECT_DOUBLE_EQ(slo->bound, 15);
    EXPECT_TRUE(slo->holds(14.9));
    EXPECT_FALSE(slo->holds(15));
  }
  const auto holds = [](const char* text, double value) {
    return parse_threshold(text, FigureOf::kBench)->holds(value);
  };
  EXPECT_TRUE(holds("recorded.p999<=5ms", 5));
  EXPECT_TRUE(holds("calls_per_s>7000", 7001));
  EXPECT_FALSE(holds("calls_per_s>7000", 7000));
  EXPECT_TRUE(holds("floor_ratio>=0.35", 0.35));
  EXPECT_TRUE(holds("errors==0", 0));
  EXPECT_FALSE(holds("errors==0", 1));
  for (const char* text : {"", "completion.p99", "completion.p99<15", "completion.p98<15ms",
                           "speed<1ms", "errors=0", "errors==0ms", "completion.p99<ms", "lag<1s"})
    EXPECT_FALSE(parse_threshold(text, FigureOf::kBench)) << text;
  for (const char* text : {"errors == 0", "completion.p99 < 15ms", "worker_mb < 100"})
    EXPECT_FALSE(parse_threshold(text, FigureOf::kRun)) << text;
}

TEST(Threshold, WhatWasNotMeasuredDoesNotHold) {
  const auto judged = judge(*parse_threshold("take_up < 5s", FigureOf::kRun), "", {});
  EXPECT_FALSE(judged.measured);
  EXPECT_FALSE(judged.holds);
}

TEST(Threshold, OfCallsThatNeverCompletedNoTimeHolds) {
  LoadRecord record;
  record.asked(1, 10);
  record.refused(10, "no answer");
  const auto judged =
      judge(*parse_threshold("p99 < 50ms", FigureOf::kCalls), "", record.figures(10));
  EXPECT_FALSE(judged.measured);
  EXPECT_FALSE(judged.holds);
}

}  // namespace
}  // namespace toolway::cli::bench::figures
