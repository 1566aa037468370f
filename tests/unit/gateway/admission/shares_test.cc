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
  Shares shares(kCaps);
  accept(shares, 1, 3, "s", "ann");
  ask(shares, 0, 3);
  EXPECT_EQ(shares.judge("s", "ann"), Shares::Placement::kBulk);
  EXPECT_EQ(shares.judge("other", "bob"), Shares::Placement::kNormal);
  ask(shares, 1, 2);
  EXPECT_EQ(shares.judge("s", "ann"), Shares::Placement::kNormal);
}

TEST(Shares, AUserIsCountedOverAllSessions) {
  Shares shares(kCaps);
  accept(shares, 1, 2, "a", "ann");
  accept(shares, 3, 2, "b", "ann");
  accept(shares, 5, 1, "c", "ann");
  ask(shares, 0, 5);
  EXPECT_EQ(shares.judge("d", "ann"), Shares::Placement::kBulk);
  EXPECT_EQ(shares.judge("a", "bob"), Shares::Placement::kNormal);
}

TEST(Shares, RefusesWhatIsFarOverTheShare) {
  Shares shares(kCaps);
  accept(shares, 1, 6, "s", "ann");
  ask(shares, 0, 6);
  EXPECT_EQ(shares.judge("s", "ann"), Shares::Placement::kSessionFull);
  EXPECT_EQ(shares.judge("t", "ann"), Shares::Placement::kBulk);
  accept(shares, 7, 2, "t", "ann");
  ask(shares, 0, 8);
  EXPECT_EQ(shares.judge("u", "ann"), Shares::Placement::kUserFull);
  ask(shares, 8, 0);
  EXPECT_EQ(shares.judge("s", "ann"), Shares::Placement::kNormal);
}

TEST(Shares, WhatWasAcceptedWhileTheQueueWasAskedIsNotTakenForWaiting) {
  Shares shares(kCaps);
  const auto mark = shares.mark(kQueue);
  accept(shares, 1, 100, "s", "ann");  // perhaps all delivered at once
  shares.delivered(kQueue, mark, 0, 100);
  EXPECT_EQ(shares.judge("s", "ann"), Shares::Placement::kNormal);
  EXPECT_EQ(shares.since_asked(kQueue), 100U);
  ask(shares, 98, 2);
  EXPECT_EQ(shares.since_asked(kQueue), 0U);
  EXPECT_EQ(shares.entries(), 2U);
}

TEST(Shares, MemoryGoesWithTheCalls) {
  Shares shares(kCaps);
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
  Shares shares(kCaps);
  shares.accepted(kQueue, 2, "s", "ann");
  shares.accepted(kQueue, 1, "s", "ann");
  ask(shares, 1, 1);  // 2 is before 1 here, so 1 is forgotten a little later
  EXPECT_EQ(shares.entries(), 2U);
  ask(shares, 2, 1);
  EXPECT_EQ(shares.entries(), 0U);
  EXPECT_EQ(shares.judge("s", "ann"), Shares::Placement::kNormal);
}

}  // namespace
}  // namespace toolway::gateway::admission
