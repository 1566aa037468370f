#include "cli/bench/load/attempt_times.h"

#include <gtest/gtest.h>

namespace toolway::cli::bench::load {
namespace {

TEST(AttemptTimes, KeepsWhichWorkerStartedWhatByTheOrderInWhichWorkersWereSeen) {
  AttemptTimes times;
  times.started("b", 1);
  times.started("a", 2);
  times.started("b", 3);
  times.started("", 4);
  ASSERT_EQ(times.starts().size(), 3U) << "a start without a worker says nothing of workers";
  EXPECT_EQ(times.starts()[0].worker, 0U);
  EXPECT_EQ(times.starts()[1].worker, 1U);
  EXPECT_EQ(times.starts()[2].worker, 0U);
  EXPECT_DOUBLE_EQ(times.starts()[2].at, 3);
}

TEST(AttemptTimes, KeepsTakeoversAndUnknownOutcomesApart) {
  AttemptTimes times;
  times.started_again(5);
  times.ended_unknown(6);
  EXPECT_EQ(times.again(), std::vector<double>{5});
  EXPECT_EQ(times.unknown(), std::vector<double>{6});
}

}  // namespace
}  // namespace toolway::cli::bench::load
