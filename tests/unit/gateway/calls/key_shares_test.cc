// How much of the bucket of Idempotency-Keys a user may fill.
#include "gateway/calls/key_shares.h"

#include <gtest/gtest.h>

namespace toolway::gateway::calls {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr std::size_t kMib = 1024 * 1024;
constexpr std::size_t kLarge = 512 * 1024 - 110;

TEST(KeyShares, AUserFillsNoMoreThanItsShareOfABucketThatFills) {
  KeyShares shares({.user_mib = 2}, [] { return 0.6; });
  const MonotonicTime now{};
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(shares.note("a", kLarge, now)) << i;
  for (const std::size_t bytes : {kLarge, std::size_t{1}}) {
    const auto refused = shares.note("a", bytes, now);
    ASSERT_TRUE(refused) << bytes;
    EXPECT_EQ(ErrorCode::kTooManyCalls, refused->code);
    EXPECT_TRUE(refused->retry_after);
    EXPECT_NE(std::string::npos, refused->message.find("2 MiB within 24 hours"));
    EXPECT_NE(std::string::npos, refused->message.find("--user-key-mib"));
  }
  EXPECT_FALSE(shares.note("b", kLarge, now));
}

TEST(KeyShares, AnHourCountsForAsLongAsTheBucketKeepsItsCalls) {
  KeyShares shares({.user_mib = 1}, [] { return 0.6; });
  MonotonicTime now{};
  EXPECT_FALSE(shares.note("a", kLarge, now));
  now += hours(12);
  EXPECT_FALSE(shares.note("a", kLarge, now));
  EXPECT_TRUE(shares.note("a", kLarge, now));
  now = MonotonicTime{} + hours(24);
  EXPECT_TRUE(shares.note("a", kLarge, now));
  now += hours(1);
  EXPECT_FALSE(shares.note("a", kLarge, now));
  EXPECT_TRUE(shares.note("a", kLarge, now));
  now += hours(12);
  EXPECT_FALSE(shares.note("a", kLarge, now));
}

TEST(KeyShares, NothingIsRefusedWhileThereIsRoom) {
  double used = 0.5;
  KeyShares shares({.user_mib = 1}, [&used] { return used; });
  const MonotonicTime now{};
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(shares.note("a", kMib, now)) << i;
  used = 0.51;
  EXPECT_TRUE(shares.note("a", 1, now));
  KeyShares unlimited({.user_mib = 0}, [] { return 0.99; });
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(unlimited.note("a", kMib, now)) << i;
}

TEST(KeyShares, ForgetsUsersWhoSentNoneForADay) {
  KeyShares shares({}, [] { return 0.0; });
  MonotonicTime now{};
  EXPECT_FALSE(shares.note("a", 1, now));
  EXPECT_FALSE(shares.note("b", 1, now + hours(3)));
  EXPECT_EQ(2U, shares.users());
  EXPECT_FALSE(shares.note("c", 1, now + hours(25) + minutes(1)));
  EXPECT_EQ(2U, shares.users());
}

}  // namespace
}  // namespace toolway::gateway::calls
