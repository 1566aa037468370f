#include "cli/bench/load/schedule.h"

#include <gtest/gtest.h>

namespace toolway::cli::bench::load {
namespace {

scenario::LoadGroup group(scenario::Pace pace, std::vector<scenario::Stage> stages,
                          unsigned batch = 1) {
  scenario::LoadGroup made;
  made.batch = batch;
  made.pace = pace;
  made.stages = std::move(stages);
  return made;
}

TEST(Schedule, SpacesRequestsEvenly) {
  const Schedule schedule(group(scenario::Pace::kRate, {{2, 10, 10}}), 0);
  EXPECT_DOUBLE_EQ(schedule.due(0), 0);
  EXPECT_DOUBLE_EQ(schedule.due(5), 0.5);
  EXPECT_DOUBLE_EQ(schedule.due(19), 1.9);
  EXPECT_LT(schedule.due(20), 0);
}

TEST(Schedule, ARampMakesAsManyRequestsAsItsMean) {
  const Schedule schedule(group(scenario::Pace::kRate, {{10, 0, 100}}), 0);
  EXPECT_NEAR(schedule.due(125), 5, 1e-9);  // half of the time, a quarter of 500
  EXPECT_GT(schedule.due(499), 9.9);
  EXPECT_LT(schedule.due(500), 0);
}

TEST(Schedule, PassesOverAPause) {
  const Schedule schedule(group(scenario::Pace::kRate, {{1, 2, 2}, {5, 0, 0}, {1, 2, 2}}), 0);
  EXPECT_DOUBLE_EQ(schedule.due(1), 0.5);
  EXPECT_DOUBLE_EQ(schedule.due(2), 6);
  EXPECT_DOUBLE_EQ(schedule.due(3), 6.5);
}

TEST(Schedule, ABatchIsOneRequest) {
  const Schedule schedule(group(scenario::Pace::kRate, {{1, 100, 100}}, 10), 0);
  EXPECT_DOUBLE_EQ(schedule.due(9), 0.9);
  EXPECT_LT(schedule.due(10), 0);
}

TEST(Schedule, BeginsWithTheWarmUpAndCanGoOn) {
  Schedule schedule(group(scenario::Pace::kRate, {{1, 10, 10}}), 1);
  EXPECT_DOUBLE_EQ(schedule.seconds(), 2);
  EXPECT_DOUBLE_EQ(schedule.due(15), 1.5);
  EXPECT_LT(schedule.due(20), 0);
  schedule.last_until(3);
  EXPECT_NEAR(schedule.due(25), 2.5, 1e-9);
  schedule.last_until(1);
  EXPECT_GE(schedule.seconds(), 3);
}

TEST(Schedule, TellsHowManyAreAtOnce) {
  const Schedule schedule(group(scenario::Pace::kConcurrency, {{10, 1, 11}, {5, 4, 4}}), 0);
  EXPECT_EQ(schedule.at_once(0), 1U);
  EXPECT_EQ(schedule.at_once(5), 6U);
  EXPECT_EQ(schedule.at_once(12), 4U);
  EXPECT_EQ(schedule.at_once(15), 0U);
  EXPECT_EQ(schedule.most_at_once(), 11U);
}

}  // namespace
}  // namespace toolway::cli::bench::load
