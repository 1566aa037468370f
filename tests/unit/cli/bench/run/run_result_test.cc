#include "cli/bench/run/run_result.h"

#include <gtest/gtest.h>

namespace toolway::cli::bench::run {
namespace {

TEST(RunResult, ItsSeriesHasAsManyPointsAsAreWanted) {
  figures::LoadRecord record;
  for (int second = 0; second < 100; ++second)
    for (int call = 0; call < 10; ++call)
      record.completed(second + 0.5, {.completion = static_cast<float>(second)});
  const auto points = series(record, 30);
  ASSERT_EQ(points.size(), 25U);
  EXPECT_DOUBLE_EQ(points[1].at, 4);
  EXPECT_DOUBLE_EQ(points[1].p99_ms, 7);
  EXPECT_DOUBLE_EQ(points[1].rate, 10);
}

}  // namespace
}  // namespace toolway::cli::bench::run
