#include "extensions/limits/lease.h"

#include <gtest/gtest.h>

#include <vector>

namespace toolway::extensions::limits {
namespace {

using namespace std::chrono_literals;
using Answer = Lease::Answer;

/// Gateways that share a bucket, at times that the test says.
class LeaseTest : public testing::Test {
 protected:
  /// One call of gateway `lease`. Whether it may run.
  bool call(Lease& lease) {
    lease.arrives(mono());
    for (;;) {
      switch (lease.take(mono())) {
        case Answer::kTaken: return true;
        case Answer::kEmpty: return false;
        case Answer::kAsk: break;
      }
      ++questions_;
      const auto wanted = lease.wanted(1);
      const auto taken = limits::take(bucket_, lease.rate(), wanted, kWall + passed_);
      bucket_ = taken.left;
      lease.got(taken, wanted, kWall + passed_, mono());
    }
  }
  MonotonicTime mono() const { return MonotonicTime(1h) + passed_; }

  static constexpr Moment kWall{1'000'000s};
  std::chrono::nanoseconds passed_{0};
  Bucket bucket_;
  int questions_ = 0;
};

TEST_F(LeaseTest, ThreeGatewaysInTurnLetThroughWhatTheLimitSays) {
  const Rate rate{.interval = 1ms, .burst = 1000};  // 1,000/s
  std::vector<Lease> gateways(3, Lease(rate));
  int accepted = 0;
  constexpr int kOffered = 90'000;  // 3,000/s for 30 s
  for (int i = 0; i < kOffered; ++i) {
    passed_ += std::chrono::nanoseconds(30s) / kOffered;
    accepted += call(gateways[i % 3]) ? 1 : 0;
  }
  EXPECT_NEAR(accepted, 30'000, 1'500);
  EXPECT_LT(questions_, kOffered / 10) << "most calls, and most refusals, ask nothing";
}

TEST_F(LeaseTest, OfASlowLimitEachCallTakesItsOwnToken) {
  const Rate rate{.interval = 200ms, .burst = 5};
  std::vector<Lease> gateways(3, Lease(rate));
  std::vector<std::chrono::nanoseconds> accepted;
  for (int i = 0; i < 30'000; ++i) {
    passed_ += 1ms;
    if (call(gateways[i % 3])) accepted.push_back(passed_);
  }
  for (std::size_t i = 0; i + 10 < accepted.size(); ++i)
    EXPECT_GE(accepted[i + 10] - accepted[i], 1s) << "more than 10 in a second";
  EXPECT_NEAR(static_cast<double>(accepted.size()), 155, 2);
}

TEST_F(LeaseTest, WhatIsInHandExpires) {
  const Rate rate{.interval = 1ms, .burst = 1000};
  Lease lease(rate);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(call(lease));
  const int before = questions_;
  EXPECT_LT(before, 60);
  passed_ += Lease::kHeld;
  EXPECT_TRUE(call(lease));
  EXPECT_EQ(questions_, before + 1) << "tokens of 100 ms ago are gone";
}

TEST_F(LeaseTest, AnEmptyBucketIsNotAskedBeforeItHasAToken) {
  Lease lease({.interval = 10s, .burst = 1});
  EXPECT_TRUE(call(lease));
  EXPECT_FALSE(call(lease));
  const int before = questions_;
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(call(lease));
  EXPECT_EQ(questions_, before);
  EXPECT_EQ(lease.wait(mono()), 10s);
  EXPECT_FALSE(lease.must_ask(5, mono()));
  passed_ += 10s;
  EXPECT_TRUE(lease.must_ask(5, mono()));
  EXPECT_TRUE(call(lease));
}

}  // namespace
}  // namespace toolway::extensions::limits
