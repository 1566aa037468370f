#include "cli/bench/figures/load_record.h"

#include <gtest/gtest.h>

#include <vector>

namespace toolway::cli::bench::figures {
namespace {

TEST(LoadRecord, FiguresAreExact) {
  LoadRecord record;
  for (int i = 1; i <= 100; ++i) {
    record.asked(i * 0.1, 1);
    record.completed(i * 0.1,
                     {.accepted = 1, .first_event = 2, .completion = static_cast<float>(i)});
  }
  record.asked(9.9, 5);
  record.refused(2, "HTTP 429");
  record.failed("timed_out");
  record.lost(1, "gone");
  const auto figures = record.figures(10);
  EXPECT_DOUBLE_EQ(figures.at("p50"), 50);
  EXPECT_DOUBLE_EQ(figures.at("p99"), 99);
  EXPECT_DOUBLE_EQ(figures.at("max"), 100);
  EXPECT_DOUBLE_EQ(figures.at("first_event.p99"), 2);
  EXPECT_DOUBLE_EQ(figures.at("calls"), 105);
  EXPECT_DOUBLE_EQ(figures.at("calls_per_s"), 10);
  EXPECT_NEAR(figures.at("error_rate"), 100.0 * 4 / 105, 1e-9);
  EXPECT_EQ(record.first_error(), "HTTP 429");
  LoadRecord sum;
  sum.add(record);
  sum.add(record);
  EXPECT_DOUBLE_EQ(sum.figures(10).at("calls"), 210);
  EXPECT_DOUBLE_EQ(sum.figures(10).at("p50"), 50);
}

TEST(LoadRecord, PercentilesAreNearestRank) {
  std::vector<float> values;
  EXPECT_EQ(percentile(values, 0.5), 0);
  for (int i = 1000; i >= 1; --i) values.push_back(static_cast<float>(i));
  EXPECT_EQ(percentile(values, 0.5), 500);
  EXPECT_EQ(percentile(values, 0.99), 990);
  EXPECT_EQ(percentile(values, 0.999), 999);
  EXPECT_EQ(percentile(values, 1), 1000);
  values.push_back(5000);
  EXPECT_EQ(percentile(values, 1), 5000);
}

}  // namespace
}  // namespace toolway::cli::bench::figures
