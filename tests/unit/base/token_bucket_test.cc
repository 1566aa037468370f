#include "base/token_bucket.h"

#include <gtest/gtest.h>

namespace toolway {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr MonotonicTime kStart{std::chrono::hours(1)};

int taken(TokenBucket& bucket, MonotonicTime now, double overdraft = 0) {
  int count = 0;
  while (bucket.take(now, overdraft)) ++count;
  return count;
}

TEST(TokenBucket, LetsABurstPassAndThenTheRate) {
  TokenBucket bucket({.burst = 5, .per_second = 2});
  EXPECT_EQ(taken(bucket, kStart), 5);
  EXPECT_EQ(taken(bucket, kStart + milliseconds(250)), 0);
  EXPECT_EQ(taken(bucket, kStart + milliseconds(500)), 1);
  EXPECT_EQ(taken(bucket, kStart + milliseconds(1500)), 2);
}

TEST(TokenBucket, NeverHoldsMoreThanABurst) {
  TokenBucket bucket({.burst = 5, .per_second = 2});
  EXPECT_EQ(taken(bucket, kStart), 5);
  EXPECT_EQ(taken(bucket, kStart + seconds(1000)), 5);
}

TEST(TokenBucket, SaysWhenTheNextOneMayPass) {
  TokenBucket bucket({.burst = 1, .per_second = 4});
  EXPECT_EQ(bucket.ready_at(kStart), kStart);
  EXPECT_TRUE(bucket.take(kStart));
  const auto next = bucket.ready_at(kStart);
  EXPECT_GE(next, kStart + milliseconds(250));
  EXPECT_LT(next, kStart + milliseconds(251));
  EXPECT_TRUE(bucket.take(next));
}

TEST(TokenBucket, AnOverdraftIsPaidBack) {
  TokenBucket bucket({.burst = 2, .per_second = 1});
  EXPECT_EQ(taken(bucket, kStart), 2);
  EXPECT_EQ(taken(bucket, kStart, 3), 3);
  EXPECT_EQ(taken(bucket, kStart + milliseconds(3500)), 0);
  EXPECT_EQ(taken(bucket, kStart + seconds(4)), 1);
}

TEST(TokenBucket, WhatIsReservedIsPaidForByThoseThatComeNext) {
  TokenBucket bucket({.burst = 10, .per_second = 2});
  const MonotonicTime start{};
  EXPECT_EQ(bucket.reserve(start, 8), start);
  EXPECT_EQ(bucket.reserve(start, 6), start + std::chrono::seconds(2));
  EXPECT_EQ(bucket.reserve(start, 1000), start + std::chrono::seconds(7))
      << "a whole burst at most";
  bucket.give_back(15);
  EXPECT_TRUE(bucket.take(start)) << "nothing is owed any more";
  EXPECT_FALSE(bucket.take(start));
  bucket.give_back(1000);
  EXPECT_TRUE(bucket.full(start)) << "no more than a burst is kept";
  bucket.give_back(-12);
  EXPECT_EQ(bucket.reserve(start, 0), start + std::chrono::seconds(1));
}

}  // namespace
}  // namespace toolway
