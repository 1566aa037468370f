#include "tools/loaders/poll_back_off.h"

#include <gtest/gtest.h>

namespace toolway::tools::loaders {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(PollBackOff, DoublesUpToAMinuteAndStartsAgainAfterASuccess) {
  PollBackOff back_off(seconds(5));
  EXPECT_EQ(back_off.pause(), seconds(5));
  for (const auto expected : {5, 10, 20, 40, 60, 60}) {
    back_off.failed(0);
    EXPECT_EQ(back_off.pause(), seconds(expected));
  }
  for (int i = 0; i < 100; ++i) back_off.failed(0);
  EXPECT_EQ(back_off.pause(), seconds(60));
  back_off.succeeded();
  EXPECT_EQ(back_off.pause(), seconds(5));
}

TEST(PollBackOff, SpreadsOverHalfAPause) {
  PollBackOff back_off(seconds(4));
  back_off.failed(1);
  EXPECT_EQ(back_off.pause(), seconds(2));
  back_off.failed(0.5);
  EXPECT_EQ(back_off.pause(), seconds(6));
}

TEST(PollBackOff, WaitsAsLongAsTheOtherSideAsksForAnHourAtMost) {
  PollBackOff back_off(seconds(5));
  back_off.failed(1, seconds(90));
  EXPECT_EQ(back_off.pause(), seconds(90));
  back_off.failed(1, seconds(1));
  EXPECT_EQ(back_off.pause(), seconds(5));
  back_off.failed(1, hours(500));
  EXPECT_EQ(back_off.pause(), hours(1));
}

}  // namespace
}  // namespace toolway::tools::loaders
