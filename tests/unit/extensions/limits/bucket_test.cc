#include "extensions/limits/bucket.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace toolway::extensions::limits {
namespace {

using namespace std::chrono_literals;

constexpr Rate kFive{.interval = 200ms, .burst = 5};  // 5/s
constexpr Moment kNow{1'000'000s};

TEST(Bucket, OneThatWasNeverUsedHasItsBurst) {
  const auto taken = take({}, kFive, 3, kNow);
  EXPECT_EQ(taken.tokens, 3U);
  EXPECT_LE(taken.next_at, kNow);
  const auto rest = take(taken.left, kFive, 3, kNow);
  EXPECT_EQ(rest.tokens, 2U) << "what is left, not what is wanted";
  EXPECT_EQ(rest.next_at, kNow + 200ms);
  EXPECT_EQ(take(rest.left, kFive, 1, kNow + 199ms).tokens, 0U);
  EXPECT_EQ(take(rest.left, kFive, 1, kNow + 200ms).tokens, 1U);
  EXPECT_EQ(take(rest.left, kFive, 99, kNow + 1h).tokens, 5U) << "and never more than it holds";
}

TEST(Bucket, GivesBurstAndRateInAnyWindowAtMost) {
  std::mt19937 random(7);
  for (const Rate& rate :
       {kFive, Rate{.interval = 1ms, .burst = 100}, Rate{.interval = 333ns, .burst = 7}}) {
    Bucket bucket;
    Moment now = kNow;
    std::vector<std::pair<Moment, std::uint32_t>> got;
    std::uint64_t all = 0;
    for (int i = 0; i < 3000; ++i) {
      now += rate.interval * static_cast<int>(random() % 5) / 3;
      const auto taken = take(bucket, rate, random() % 4, now);
      bucket = decode(encode(taken.left));
      if (taken.tokens > 0) got.emplace_back(now, taken.tokens);
      all += taken.tokens;
    }
    for (std::size_t from = 0; from < got.size(); from += 13) {
      std::uint64_t tokens = 0;
      for (std::size_t to = from; to < got.size(); ++to) {
        tokens += got[to].second;
        const auto allowed = rate.burst + (got[to].first - got[from].first) / rate.interval;
        ASSERT_LE(tokens, static_cast<std::uint64_t>(allowed));
      }
    }
    EXPECT_GE(all, 0.95 * static_cast<double>((now - kNow) / rate.interval)) << "and all of that";
  }
}

TEST(Bucket, WhatAnotherRateOrAClockThatIsAheadHasWrittenIsAnEmptyBucketAtMost) {
  for (const Moment far :
       {kNow + 24h, Moment(std::chrono::nanoseconds(std::numeric_limits<std::int64_t>::max()))}) {
    const auto taken = take({far}, kFive, 1, kNow);
    EXPECT_EQ(taken.tokens, 0U);
    EXPECT_EQ(taken.next_at, kNow + 200ms);
  }
}

TEST(Bucket, GarbageIsABucketThatWasNeverUsed) {
  for (const char* text : {"", "x", "12x", "99999999999999999999999"})
    EXPECT_EQ(decode(text).full_at, Moment{}) << text;
  EXPECT_EQ(decode("-5").full_at, Moment(-5ns));
  EXPECT_EQ(take(decode("-5"), kFive, 9, kNow).tokens, 5U);
}

}  // namespace
}  // namespace toolway::extensions::limits
