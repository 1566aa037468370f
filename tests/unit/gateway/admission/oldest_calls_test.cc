#include "gateway/admission/oldest_calls.h"

#include <gtest/gtest.h>

namespace toolway::gateway::admission {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const WallTime kOldestTime = from_unix_us(1'000'000'000'000'000);

class OldestCall : public testing::Test {
 protected:
  QueueFacts queue(std::uint64_t delivered, std::uint64_t pending) const {
    return {.durable = "native-normal-0", .state = {.delivered = delivered, .pending = pending}};
  }
  bus::StreamState stream(std::uint64_t last) const {
    return {.first_sequence = 1, .last_sequence = last};
  }
  std::optional<std::uint64_t> search(const QueueFacts& queue, std::uint64_t last,
                                      seconds at = seconds(0)) {
    return calls_.search_from(queue, stream(last), MonotonicTime(seconds(1000) + at));
  }
  milliseconds age(const QueueFacts& queue, seconds at = seconds(0)) {
    return calls_.age(queue, kOldestTime + at);
  }

  OldestCalls calls_;
};

TEST_F(OldestCall, IsNotLookedForWhereNothingWaits) {
  EXPECT_FALSE(search(queue(10, 0), 10));
  EXPECT_EQ(age(queue(10, 0)).count(), 0);
}

TEST_F(OldestCall, IsLookedForAfterWhatWasDeliveredAndKeptUntilItIsDeliveredToo) {
  EXPECT_EQ(search(queue(10, 3), 100), 11U);
  calls_.found("native-normal-0", 50, kOldestTime - seconds(60));
  EXPECT_EQ(age(queue(10, 3)), seconds(60));
  EXPECT_FALSE(search(queue(49, 3), 100, seconds(3600))) << "it waits still";
  EXPECT_EQ(age(queue(49, 3), seconds(3600)), seconds(3660));
  EXPECT_EQ(search(queue(50, 2), 100, seconds(3601)), 51U);
}

TEST_F(OldestCall, IsLookedForEveryFiveSecondsAtMostAndThePreviousOneCountsUntilThen) {
  EXPECT_TRUE(search(queue(10, 3), 100));
  calls_.found("native-normal-0", 11, kOldestTime - seconds(60));
  EXPECT_FALSE(search(queue(12, 3), 100, seconds(4)));
  EXPECT_EQ(age(queue(12, 3), seconds(4)), seconds(64));
  EXPECT_TRUE(search(queue(12, 3), 100, seconds(5)));
}

TEST_F(OldestCall, IsLookedForAgainWhenItLeftTheStream) {
  EXPECT_TRUE(search(queue(10, 3), 100));
  calls_.found("native-normal-0", 11, kOldestTime);
  bus::StreamState later{.first_sequence = 80, .last_sequence = 100};
  EXPECT_EQ(calls_.search_from(queue(10, 3), later, MonotonicTime(seconds(2000))), 80U);
}

TEST_F(OldestCall, OfARecreatedStreamIsLookedForAgain) {
  EXPECT_TRUE(search(queue(900, 3), 1000));
  calls_.found("native-normal-0", 950, kOldestTime - seconds(60));
  EXPECT_EQ(search(queue(10, 3), 20, seconds(60)), 11U);
}

TEST_F(OldestCall, FarAfterOthersIsNotLookedForAndCountsFromWhenItWasSeenToWait) {
  const auto far = queue(10, 1);
  EXPECT_FALSE(search(far, 11 + OldestCalls::kMaxDistance * 2));
  EXPECT_EQ(age(far).count(), 0);
  EXPECT_EQ(age(far, seconds(30)), seconds(30));
  EXPECT_EQ(age(queue(20'000, 1), seconds(40)).count(), 0) << "another one waits now";
  EXPECT_TRUE(search(queue(10, 3), 11 + OldestCalls::kMaxDistance * 2, seconds(5)))
      << "three share the way";
}

TEST_F(OldestCall, StartsAgainOnceTheQueueWasEmpty) {
  EXPECT_TRUE(search(queue(10, 1), 11));
  calls_.found("native-normal-0", 11, kOldestTime - seconds(60));
  EXPECT_EQ(age(queue(11, 0)).count(), 0);
  EXPECT_EQ(age(queue(11, 1)).count(), 0);
  EXPECT_TRUE(search(queue(11, 1), 12, seconds(1)));
}

TEST_F(OldestCall, OfASlowClockIsNotNegative) {
  EXPECT_TRUE(search(queue(10, 1), 11));
  calls_.found("native-normal-0", 11, kOldestTime + seconds(1));
  EXPECT_EQ(age(queue(10, 1)).count(), 0);
}

TEST_F(OldestCall, OfADurableThatIsGoneIsForgotten) {
  EXPECT_TRUE(search(queue(10, 1), 11));
  calls_.found("native-normal-0", 11, kOldestTime - seconds(60));
  calls_.keep({});
  EXPECT_EQ(age(queue(10, 1)).count(), 0);
}

}  // namespace
}  // namespace toolway::gateway::admission
