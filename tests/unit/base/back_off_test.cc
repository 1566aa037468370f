#include "base/back_off.h"

#include <gtest/gtest.h>

namespace toolway {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(BackOff, DoublesUpToTheLongestAndStartsOverAfterASuccess) {
  BackOff back_off(milliseconds(50), milliseconds(300));
  EXPECT_EQ(back_off.delay(), milliseconds(0));
  for (const int expected : {50, 100, 200, 300, 300}) {
    EXPECT_EQ(back_off.failed(), milliseconds(expected));
    EXPECT_EQ(back_off.delay(), milliseconds(expected));
  }
  back_off.succeeded();
  EXPECT_EQ(back_off.delay(), milliseconds(0));
  EXPECT_EQ(back_off.failed(), milliseconds(50));
}

TEST(BackOff, TheLongestIsTheLimitOfTheFirstToo) {
  BackOff back_off(milliseconds(50), milliseconds(20));
  EXPECT_EQ(back_off.failed(), milliseconds(20));
  EXPECT_EQ(doubled(milliseconds(50), 0, milliseconds(20)), milliseconds(20));
}

TEST(BackOff, DoublesByNumberWithoutOverflow) {
  EXPECT_EQ(doubled(milliseconds(50), 0, hours(1)), milliseconds(50));
  EXPECT_EQ(doubled(milliseconds(50), 3, hours(1)), milliseconds(400));
  EXPECT_EQ(doubled(hours(1), 4'000'000'000, hours(24)), hours(24));
}

}  // namespace
}  // namespace toolway
