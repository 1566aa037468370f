#include "gateway/admission/limit_refusals.h"

#include <gtest/gtest.h>

namespace toolway::gateway::admission {
namespace {

using namespace std::chrono_literals;

constexpr MonotonicTime kNow{1h};
constexpr WallTime kWall{1000h};

TEST(LimitRefusals, SaySinceWhenALimitRefuses) {
  LimitRefusals refusals;
  EXPECT_FALSE(refusals.since("k", kNow));
  refusals.note("k", kNow, kWall);
  refusals.note("k", kNow + 9s, kWall + 9s);
  EXPECT_EQ(refusals.since("k", kNow + 10s), kWall);
  EXPECT_FALSE(refusals.since("other", kNow + 10s));
  EXPECT_EQ(refusals.since("k", kNow + 19s), kWall);
  EXPECT_FALSE(refusals.since("k", kNow + 19s + 1ms)) << "it let calls through again";
  refusals.note("k", kNow + 30s, kWall + 30s);
  EXPECT_EQ(refusals.since("k", kNow + 30s), kWall + 30s) << "it began again";
}

TEST(LimitRefusals, ManyKeysTakeBoundedMemory) {
  LimitRefusals refusals;
  for (std::size_t i = 0; i < LimitRefusals::kMax; ++i)
    refusals.note(std::to_string(i), kNow, kWall);
  refusals.note("one more", kNow, kWall);
  EXPECT_FALSE(refusals.since("one more", kNow));
  refusals.note("later", kNow + 11s, kWall);
  EXPECT_TRUE(refusals.since("later", kNow + 11s)) << "those that refuse no longer are forgotten";
}

}  // namespace
}  // namespace toolway::gateway::admission
