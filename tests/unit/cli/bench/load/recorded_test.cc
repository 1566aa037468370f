#include "cli/bench/load/recorded.h"

#include <gtest/gtest.h>

namespace toolway::cli::bench::load {
namespace {

TEST(Recorded, ReadsTimesToTheMicrosecond) {
  EXPECT_EQ(parse_time_us("1970-01-01T00:00:01.000002Z"), 1'000'002);
  EXPECT_EQ(parse_time_us("2026-01-31T12:00:00.000000Z"), 1'769'860'800'000'000);
  EXPECT_EQ(parse_time_us("yesterday"), 0);
}

}  // namespace
}  // namespace toolway::cli::bench::load
