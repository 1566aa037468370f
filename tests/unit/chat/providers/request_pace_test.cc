#include "chat/providers/request_pace.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace toolway::chat::providers {
namespace {

using namespace std::chrono_literals;

class RequestPaceTest : public testing::Test {
 protected:
  std::chrono::milliseconds take(std::uint64_t tokens = 1, std::chrono::milliseconds after = 0ms) {
    now_ += after;
    return pace_.take(limits_, tokens, now_);
  }
  PaceLimits limits_;
  RequestPace pace_;
  MonotonicTime now_ = MonotonicTime() + 1h;
};

TEST_F(RequestPaceTest, WithoutLimitsNothingWaits) {
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(take(1'000'000), 0ms);
}

TEST_F(RequestPaceTest, AMinutesShareMayBeTakenAtOnceAndTheRestWaits) {
  limits_.requests = 60;
  for (int i = 0; i < 60; ++i) EXPECT_EQ(take(), 0ms) << i;
  EXPECT_EQ(take(), 1s);
  EXPECT_EQ(take(), 2s) << "each waits for its own";
  EXPECT_EQ(take(1, 3s), 0ms);
  EXPECT_EQ(take(1, 1h), 0ms);
  for (int i = 0; i < 59; ++i) EXPECT_EQ(take(), 0ms) << "no more than a minute's is kept: " << i;
  EXPECT_EQ(take(), 1s);
}

TEST_F(RequestPaceTest, TokensAreWhatTheyReallyWere) {
  limits_.tokens = 60'000;
  EXPECT_EQ(take(60'000), 0ms);
  EXPECT_EQ(take(1'000), 1s);
  pace_.correct(limits_, 60'000, 10'000);
  EXPECT_EQ(take(1'000), 0ms) << "most of it came back";
  EXPECT_EQ(take(1'000'000), 12s) << "one that is too large takes a minute's share";
}

/// Whatever comes: in no minute does more begin than two minutes' shares, the one that was kept
/// and the one that came.
TEST_F(RequestPaceTest, InTheLongRunTheLimitHolds) {
  limits_.requests = 30;
  std::vector<MonotonicTime> begun;
  for (int i = 0; i < 600; ++i) {
    const auto wait = take(1, std::chrono::milliseconds(i % 7 == 0 ? 3000 : 100));
    begun.push_back(now_ + wait);
  }
  std::ranges::sort(begun);
  for (std::size_t i = 0; i + 60 < begun.size(); ++i)
    EXPECT_GE(begun[i + 60] - begun[i], 1min) << i;
}

}  // namespace
}  // namespace toolway::chat::providers
