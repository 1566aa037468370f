#include "cli/stack/restart_delay.h"

#include <gtest/gtest.h>

namespace toolway::cli::stack {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(RestartDelay, DoublesUntilItIsHopeless) {
  RestartDelay delay;
  for (const int ms : {100, 200, 400, 800}) {
    EXPECT_EQ(delay.next(milliseconds(10)), milliseconds(ms));
    EXPECT_FALSE(delay.hopeless());
  }
  EXPECT_EQ(delay.next(milliseconds(10)), seconds(30));
  EXPECT_TRUE(delay.hopeless());
  EXPECT_EQ(delay.next(milliseconds(10)), seconds(30));
}

TEST(RestartDelay, StaysBelowFiveSecondsForOneThatRunsForAWhile) {
  RestartDelay delay;
  for (int i = 0; i < 20; ++i) EXPECT_LE(delay.next(seconds(6)), seconds(5));
  EXPECT_FALSE(delay.hopeless());
}

TEST(RestartDelay, StartsAgainAfterAQuietTime) {
  RestartDelay delay;
  for (int i = 0; i < 6; ++i) delay.next(milliseconds(1));
  EXPECT_EQ(delay.next(seconds(31)), milliseconds(100));
  EXPECT_FALSE(delay.hopeless());
}

}  // namespace
}  // namespace toolway::cli::stack
