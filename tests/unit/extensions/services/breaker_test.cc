#include "extensions/services/breaker.h"

#include <gtest/gtest.h>

namespace toolway::extensions::services {
namespace {

using namespace std::chrono_literals;

TEST(Breaker, GivesUpAfterFiveFailuresInARow) {
  Breaker breaker;
  const MonotonicTime now{1h};
  for (int i = 0; i < 4; ++i) breaker.failed(now);
  EXPECT_FALSE(breaker.wait(now));
  breaker.answered();
  for (int i = 0; i < 4; ++i) breaker.failed(now);
  EXPECT_FALSE(breaker.wait(now)) << "an answer between them";
  breaker.failed(now);
  EXPECT_EQ(breaker.wait(now), 10s);
  EXPECT_EQ(breaker.wait(now + 9s), 1s);
}

TEST(Breaker, ThenTriesOnce) {
  Breaker breaker;
  MonotonicTime now{1h};
  for (int i = 0; i < 5; ++i) breaker.failed(now);
  now += 10s;
  EXPECT_FALSE(breaker.wait(now)) << "the one that tries";
  EXPECT_TRUE(breaker.wait(now)) << "the others wait for it";
  breaker.failed(now + 2s);
  EXPECT_EQ(breaker.wait(now + 2s), 10s) << "from when it failed";
  now += 12s;
  EXPECT_FALSE(breaker.wait(now));
  breaker.answered();
  EXPECT_FALSE(breaker.wait(now));
  EXPECT_FALSE(breaker.wait(now));
}

}  // namespace
}  // namespace toolway::extensions::services
