#include "cli/bench/run/take_up.h"

#include <gtest/gtest.h>

#include <vector>

namespace toolway::cli::bench::run {
namespace {

TEST(TakeUp, IsWhenEveryWorkerRunsItsShare) {
  std::vector<load::CallStart> starts;
  for (int i = 0; i < 1000; ++i) starts.push_back({i * 0.01, 0});  // one alone, 10 s
  for (int i = 0; i < 1000; ++i) starts.push_back({10 + i * 0.01, static_cast<std::size_t>(i % 4)});
  const auto took = take_up_seconds(starts, 8, 4);
  ASSERT_TRUE(took);
  EXPECT_GT(*took, 2);
  EXPECT_LT(*took, 2.6);
  EXPECT_FALSE(take_up_seconds(starts, 8, 5));
  EXPECT_FALSE(take_up_seconds({}, 0, 1));
}

TEST(TakeUp, OfWhatAKilledWorkerRanCountsFromTheLastKill) {
  EXPECT_EQ(takeover_times({5, 20}, {1, 10, 25.5, 20, 19}),
            (std::vector<float>{5000, 5500, 0, 14000}));
  EXPECT_TRUE(takeover_times({}, {1, 2}).empty());
}

TEST(TakeUp, AnUnknownOutcomeThatNoKillExplainsIsAFailedCall) {
  figures::LoadRecord explained;
  EXPECT_EQ(unknown_times({5, 20}, {11, 20.5}, explained), (std::vector<float>{6000, 500}));
  EXPECT_EQ(explained.figures(1).at("failed"), 0);
  figures::LoadRecord before;
  EXPECT_EQ(unknown_times({5}, {4, 6}, before), std::vector<float>{1000});
  EXPECT_EQ(before.figures(1).at("failed"), 1);
  figures::LoadRecord elsewhere;
  EXPECT_TRUE(unknown_times({}, {4, 6}, elsewhere).empty());
  EXPECT_EQ(elsewhere.figures(1).at("failed"), 2);
  EXPECT_NE(elsewhere.first_error().find("unknown"), std::string::npos);
}

}  // namespace
}  // namespace toolway::cli::bench::run
