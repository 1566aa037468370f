#include "gateway/admission/shares.h"

#include <gtest/gtest.h>

namespace toolway::gateway::admission {
namespace {

constexpr ShareCaps kCaps{.session_bulk = 3, .user_bulk = 5, .session_most = 6, .user_most = 8};
constexpr auto kQueue = "native-normal-0";

/// Accepts `count` calls from `first` on, and asks their queue, which has delivered up to `upto`.
void accept(Shares& shares, std::uint64_t first, std::uint64_t count, const char* session,
            const char* user) {
  for (std::uint64_t i = 0; i < count; ++i) shares.accepted(kQueue, first + i, session, user);
}
void ask(Shares& shares, std::uint64_t upto, std::uint64_t pending) {
  shares.delivered(kQueue, shares.mark(kQueue), upto, pending);
}

TEST(Shares, ASessionWithItsShareWaitingGoesToBulkAndComesBack) {
  Shares shares;
  accept(shares, 1, 3, "s", "ann");
  ask(shares, 0, 3);
  EXPECT_EQ(shares.judge(kCaps, "s", "ann"), Shares::Placement::kBulk);
  EXPECT_EQ(shares.judge(kCaps, "other", "bob"), Shares::Placement::kNormal);
  ask(shares, 1, 2);
  EXPECT_EQ(shares.judge(kCaps, "s", "ann"), Shares::Placement::kNormal);
}

TEST(Shares, AUserIsCountedOverAllSessions) {
  Shares shares;
  accept(shares, 1, 2, "a", "ann");
  accept(shares, 3, 2, "b", "ann");
  accept(shares, 5, 1, "c", "ann");
  ask(shares, 0, 5);
  EXPECT_EQ(shares.judge(kCaps, "d", "ann"), Shares::Placement::kBulk);
  EXPECT_EQ(shares.judge(kCaps, "a", "bob"), Shares::Placement::kNormal);
}

TEST(Shares, RefusesWhatIsFarOverTheShare) {
  Shares shares;
  accept(shares, 1, 6, "s", "ann");
  ask(shares, 0, 6);
  EXPECT_EQ(shares.judge(kCaps, "s", "ann"), Shares::Placement::kSessionFull);
  EXPECT_EQ(shares.judge(kCaps, "t", "ann"), Shares::Placement::kBulk);
  accept(shares, 7, 2, "t", "ann");
  ask(shares, 0, 8);
  EXPECT_EQ(shares.judge(kCaps, "u", "ann"), Shares::Placement::kUserFull);
  ask(shares, 8, 0);
  EXPECT_EQ(shares.judge(kCaps, "s", "ann"), Shares::Placement::kNormal);
}

TEST(Shares, WhatWasAcceptedWhileTheQueueWasAskedIsNotTakenForWaiting) {
  Shares shares;
  const auto mark = shares.mark(kQueue);
  accept(shares, 1, 100, "s", "ann");  // perhaps all delivered at once
  shares.delivered(kQueue, mark, 0, 100);
  EXPECT_EQ(shares.judge(kCaps, "s", "ann"), Shares::Placement::kNormal);
  EXPECT_EQ(shares.since_asked(kQueue), 100U);
  ask(shares, 98, 2);
  EXPECT_EQ(shares.since_asked(kQueue), 0U);
  EXPECT_EQ(shares.entries(), 2U);
}

TEST(Shares, MemoryGoesWithTheCalls) {
  Shares shares;
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    shares.accepted(kQueue, i, "s" + std::to_string(i), "u" + std::to_string(i));
  }
  ask(shares, 400, 600);
  EXPECT_EQ(shares.entries(), 600U);
  // The stream was made again: its numbers start over, and nothing waits.
  ask(shares, 3, 0);
  EXPECT_EQ(shares.entries(), 0U);
}

TEST(Shares, AcksThatCameOutOfOrderAreCountedOnce) {
  Shares shares;
  shares.accepted(kQueue, 2, "s", "ann");
  shares.accepted(kQueue, 1, "s", "ann");
  ask(shares, 1, 1);  // 2 is before 1 here, so 1 is forgotten a little later
  EXPECT_EQ(shares.entries(), 2U);
  ask(shares, 2, 1);
  EXPECT_EQ(shares.entries(), 0U);
  EXPECT_EQ(shares.judge(kCaps, "s", "ann"), Shares::Placement::kNormal);
}

TEST(Shares, TheShareFollowsTheSlotsOfThePool) {
  EXPECT_EQ(caps_of_pool({}, 0).session_bulk, kMinShare);
  EXPECT_EQ(caps_of_pool({}, 8).session_bulk, 16U);
  EXPECT_EQ(caps_of_pool({}, 9).session_bulk, 18U);
  EXPECT_EQ(caps_of_pool({}, 1000).session_bulk, 2000U);
  EXPECT_EQ(caps_of_pool({}, 1000).user_bulk, 2000U);
  EXPECT_EQ(caps_of_pool({.session_bulk = 5, .user_bulk = 7}, 1000).session_bulk, 5U)
      << "as it was set";
  EXPECT_EQ(caps_of_pool({.session_bulk = 5, .user_bulk = 7}, 1000).user_bulk, 7U);
}

TEST(Shares, WhatWaitsAtOtherGatewaysCounts) {
  Shares shares;
  accept(shares, 1, 2, "s", "ann");
  ask(shares, 0, 2);
  EXPECT_EQ(shares.judge(kCaps, "s", "ann", {.session = 1}), Shares::Placement::kBulk);
  EXPECT_EQ(shares.judge(kCaps, "s", "ann", {.user = 3}), Shares::Placement::kBulk);
  EXPECT_EQ(shares.judge(kCaps, "s", "ann", {.user = 2}), Shares::Placement::kNormal);
  EXPECT_EQ(shares.judge(kCaps, "s", "ann", {.session = 4}), Shares::Placement::kSessionFull);
}

TEST(Shares, SayWhoHasManyWaitingAndWhere) {
  Shares shares;
  accept(shares, 1, 3, "s", "ann");
  accept(shares, 4, 1, "t", "ann");
  ask(shares, 0, 4);
  EXPECT_EQ(shares.sessions_waiting(2), (Shares::Waiting{{"s", 3}}));
  EXPECT_EQ(shares.users_waiting(2), (Shares::Waiting{{"ann", 4}}));
  EXPECT_EQ(shares.queues_in_use(), std::vector<std::string>{kQueue});
  ask(shares, 4, 0);
  EXPECT_TRUE(shares.queues_in_use().empty());
}

TEST(Shares, ALimitCountsACallUntilItIsDelivered) {
  Shares shares;
  WaitingCounts counts;
  shares.accepted(kQueue, 1, "s", "ann",
                  std::make_unique<WaitingPlace>(counts, std::vector<std::string>{"k"}));
  EXPECT_EQ(counts.of("k"), 1U);
  ask(shares, 0, 1);
  EXPECT_EQ(counts.of("k"), 1U);
  ask(shares, 1, 0);
  EXPECT_EQ(counts.of("k"), 0U);
}

}  // namespace
}  // namespace toolway::gateway::admission
