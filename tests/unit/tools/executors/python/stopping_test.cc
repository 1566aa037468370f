#include "tools/executors/python/stopping.h"

#include <gtest/gtest.h>

namespace toolway::tools::executors::python {
namespace {

using namespace std::chrono_literals;
using Step = Stopping::Step;

const Stopping::Time kStart{1h};

TEST(Stopping, AsksThenInterruptsThenTerminatesThenKills) {
  Stopping stopping;
  EXPECT_EQ(stopping.next(kStart), Step::kAsk);
  EXPECT_EQ(stopping.next(kStart + 299ms), Step::kAsk);
  EXPECT_EQ(stopping.next(kStart + 349ms), Step::kInterrupt);
  EXPECT_EQ(stopping.next(kStart + 899ms), Step::kInterrupt);
  EXPECT_EQ(stopping.next(kStart + 949ms), Step::kTerminate);
  EXPECT_EQ(stopping.next(kStart + 1199ms), Step::kTerminate);
  EXPECT_EQ(stopping.next(kStart + 1200ms), Step::kKill) << "without waiting for its turn";
  EXPECT_EQ(stopping.next(kStart + 1201ms), Step::kKill);
}

TEST(Stopping, RepeatsAStepAfterAPauseOnly) {
  Stopping stopping;
  EXPECT_EQ(stopping.next(kStart), Step::kAsk);
  EXPECT_EQ(stopping.next(kStart + 49ms), Step::kNone);
  EXPECT_EQ(stopping.next(kStart + 50ms), Step::kAsk);
  EXPECT_EQ(stopping.next(kStart + 99ms), Step::kNone);
}

TEST(Stopping, BeginsWithTheFirstQuestion) {
  Stopping stopping;
  EXPECT_EQ(stopping.patience(kStart), -1) << "poll waits for ever";
  EXPECT_EQ(stopping.next(kStart + 10s), Step::kAsk);
}

TEST(Stopping, SaysHowLongToPoll) {
  Stopping stopping;
  EXPECT_EQ(stopping.next(kStart), Step::kAsk);
  EXPECT_EQ(stopping.patience(kStart), 50);
  EXPECT_EQ(stopping.patience(kStart + 500us), 50) << "rounded up: not before its time";
  EXPECT_EQ(stopping.patience(kStart + 50ms), 0);
  EXPECT_EQ(stopping.patience(kStart + 1s), 0);
}

}  // namespace
}  // namespace toolway::tools::executors::python
