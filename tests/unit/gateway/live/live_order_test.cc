#include "gateway/live/live_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace toolway::gateway::live {
namespace {

constexpr MonotonicTime kNow{std::chrono::seconds(100)};

class LiveOrderTest : public testing::Test {
 protected:
  void add(std::uint64_t sequence) { order_.add("live.x", std::to_string(sequence), sequence); }
  std::vector<std::uint64_t> seen_;
  LiveOrder order_{[this](std::string_view, std::string_view payload, std::uint64_t sequence) {
    EXPECT_EQ(payload, std::to_string(sequence));
    seen_.push_back(sequence);
  }};
};
using Sequences = std::vector<std::uint64_t>;

TEST_F(LiveOrderTest, HandsOnAtOnceWhatIsInOrder) {
  order_.begin_after(10);
  add(11);
  add(12);
  EXPECT_EQ(seen_, (Sequences{11, 12}));
  EXPECT_FALSE(order_.has_hole());
}

TEST_F(LiveOrderTest, WaitsForWhatIsMissing) {
  order_.begin_after(10);
  add(12);
  add(13);
  EXPECT_TRUE(seen_.empty());
  EXPECT_TRUE(order_.has_hole());
  add(11);
  EXPECT_EQ(seen_, (Sequences{11, 12, 13}));
  EXPECT_FALSE(order_.has_hole());
}

TEST_F(LiveOrderTest, LeavesToTheRecordWhatWasStoredBeforeItBegan) {
  add(9);
  add(12);
  add(11);
  EXPECT_TRUE(seen_.empty());
  order_.begin_after(10);
  EXPECT_EQ(seen_, (Sequences{11, 12}));
  add(10);
  EXPECT_EQ(seen_.size(), 2U);
}

TEST_F(LiveOrderTest, ContinuesAfterAGapThatWasGivenUp) {
  order_.begin_after(0);
  add(1);
  add(3);
  order_.hold();
  add(4);
  EXPECT_EQ(seen_, Sequences{1});
  order_.begin_after(3);
  EXPECT_EQ(seen_, (Sequences{1, 4}));
}

TEST_F(LiveOrderTest, GivesUpWhatIsMissingForLong) {
  order_.begin_after(10);
  add(12);
  EXPECT_FALSE(order_.lost(kNow));
  EXPECT_FALSE(order_.lost(kNow + LiveOrder::kHoleTimeout - std::chrono::milliseconds(1)));
  EXPECT_TRUE(order_.lost(kNow + LiveOrder::kHoleTimeout));
  add(11);
  EXPECT_FALSE(order_.lost(kNow + LiveOrder::kHoleTimeout));
  add(14);
  EXPECT_FALSE(order_.lost(kNow + LiveOrder::kHoleTimeout)) << "another hole has its own time";
  order_.begin_after(12);
  EXPECT_FALSE(order_.lost(kNow + 2 * LiveOrder::kHoleTimeout))
      << "counted from the first question";
}

TEST_F(LiveOrderTest, NoticesARecreatedStreamAndABufferThatGrows) {
  order_.begin_after(1'000'000);
  add(1);
  EXPECT_TRUE(order_.lost(kNow));
  order_.begin_after(1);
  EXPECT_FALSE(order_.lost(kNow));
  for (std::uint64_t i = 0; i <= LiveOrder::kMaxWaiting; ++i) add(3 + i);
  EXPECT_TRUE(order_.lost(kNow));
}

TEST_F(LiveOrderTest, KeepsALimitedNumberOfBytesAfterAHoleAndLeavesTheRestToTheRecord) {
  std::size_t seen = 0;
  LiveOrder order([&seen](std::string_view, std::string_view, std::uint64_t) { ++seen; });
  const std::string large(1024 * 1024, 'x');
  order.begin_after(1);
  for (std::uint64_t i = 0; i < 15; ++i) order.add("live.x", large, 3 + i);
  EXPECT_FALSE(order.lost(kNow));
  for (std::uint64_t i = 15; i < 100; ++i) order.add("live.x", large, 3 + i);
  EXPECT_TRUE(order.lost(kNow));
  order.add("live.x", large, 2);  // the hole closes, too late
  EXPECT_TRUE(order.lost(kNow));
  EXPECT_LE(seen, 20U) << "the others were kept";
  order.hold();
  order.begin_after(200);
  EXPECT_FALSE(order.lost(kNow));
  order.add("live.x", large, 201);
  EXPECT_GT(seen, 0U);
}

TEST_F(LiveOrderTest, AnyShuffleComesOutSorted) {
  std::mt19937 random(7);
  order_.begin_after(0);
  Sequences all(5000);
  std::iota(all.begin(), all.end(), 1);
  Sequences shuffled = all;
  for (std::size_t at = 0; at < shuffled.size(); at += 50) {
    std::shuffle(shuffled.begin() + static_cast<std::ptrdiff_t>(at),
                 shuffled.begin() + static_cast<std::ptrdiff_t>(at + 50), random);
  }
  for (const auto sequence : shuffled) add(sequence);
  EXPECT_EQ(seen_, all);
}

}  // namespace
}  // namespace toolway::gateway::live
