#include "extensions/services/breaker.h"

#include <gtest/gtest.h>

namespace toolway::extensions::services {
namespace {

using namespace std::chrono_literals;

std::optional<std::chrono::nanoseconds> waits(Breaker& breaker, MonotonicTime now) {
  return breaker.ask(now).wait;
}

TEST(Breaker, GivesUpAfterFiveFailuresInARow) {
  Breaker breaker;
  const MonotonicTime now{1h};
  for (int i = 0; i < 4; ++i) breaker.failed(now);
  EXPECT_FALSE(waits(breaker, now));
  breaker.answered();
  for (int i = 0; i < 4; ++i) breaker.failed(now);
  EXPECT_FALSE(waits(breaker, now)) << "an answer between them";
  breaker.failed(now);
  EXPECT_EQ(waits(breaker, now), 10s);
  EXPECT_EQ(waits(breaker, now + 9s), 1s);
}

TEST(Breaker, ThenTriesOnce) {
  Breaker breaker;
  MonotonicTime now{1h};
  for (int i = 0; i < 5; ++i) breaker.failed(now);
  now += 10s;
  EXPECT_FALSE(waits(breaker, now)) << "the one that tries";
  EXPECT_TRUE(waits(breaker, now)) << "the others wait for it";
  breaker.failed(now + 2s);
  EXPECT_EQ(waits(breaker, now + 2s), 10s) << "from when it failed";
  now += 12s;
  EXPECT_FALSE(waits(breaker, now));
  breaker.answered();
  EXPECT_FALSE(waits(breaker, now));
  EXPECT_FALSE(waits(breaker, now));
}

TEST(Breaker, ATryThatWasNotMadeIsLeftToTheNext) {
  Breaker breaker;
  MonotonicTime now{1h};
  for (int i = 0; i < 5; ++i) breaker.failed(now);
  now += 10s;
  EXPECT_TRUE(breaker.ask(now).tries);
  EXPECT_FALSE(breaker.ask(now).tries);
  breaker.untried(now + 1s);
  EXPECT_TRUE(breaker.ask(now + 1s).tries);
  breaker.answered();
  EXPECT_FALSE(breaker.ask(now + 1s).tries) << "it is asked as always";
  breaker.untried(now + 1s);
  EXPECT_FALSE(waits(breaker, now + 1s));
}

}  // namespace
}  // namespace toolway::extensions::services
