#include "cli/bench/scenario/bench_scenario.h"

#include <gtest/gtest.h>

namespace toolway::cli::bench::scenario {
namespace {

TEST(BenchScenario, AClosedLoopHasAFixedNumberOfRequestsAtOnce) {
  const auto at_once = [](const options::BenchOptions& options) {
    const auto scenario = scenario_of(options);
    EXPECT_EQ(scenario.groups.size(), 1U);
    const auto& group = scenario.groups.front();
    EXPECT_EQ(group.pace, Pace::kConcurrency);
    EXPECT_EQ(group.stages.size(), 1U);
    EXPECT_EQ(group.stages.front().from, group.stages.front().to);
    return group.stages.front().from;
  };
  EXPECT_EQ(at_once({}), 192);
  EXPECT_EQ(at_once({.batch = 20}), 40);
  EXPECT_EQ(at_once({.concurrency = 7}), 7);
}

TEST(BenchScenario, AnOpenLoopIsDueAtItsRate) {
  const auto group = scenario_of({.rate = 500}).groups.front();
  EXPECT_EQ(group.pace, Pace::kRate);
  EXPECT_EQ(group.stages.front().from, 500);
  EXPECT_EQ(group.stages.front().to, 500);
  EXPECT_EQ(group.connections, 256U);
  EXPECT_EQ(scenario_of({.concurrency = 8, .rate = 500}).groups.front().connections, 8U);
}

TEST(BenchScenario, LastsForItsSecondsOrUntilItsCallsAreMade) {
  EXPECT_EQ(scenario_of({}).seconds(), 10);
  EXPECT_EQ(scenario_of({.seconds = 3}).seconds(), 3);
  EXPECT_EQ(scenario_of({.calls = 50, .seconds = 3}).seconds(), 3);
  EXPECT_EQ(scenario_of({.calls = 50}).groups.front().most, 50U);
  EXPECT_GT(scenario_of({.calls = 50}).seconds(), 1e6);
}

}  // namespace
}  // namespace toolway::cli::bench::scenario
