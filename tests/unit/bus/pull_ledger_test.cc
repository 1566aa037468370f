#include "bus/pull_ledger.h"

#include <gtest/gtest.h>

namespace toolway::bus {
namespace {

using Ending = PullLedger::Ending;
using std::chrono::milliseconds;

MonotonicTime at(int ms) { return MonotonicTime(std::chrono::hours(1) + milliseconds(ms)); }

TEST(PullLedger, AsksForAllThatIsAllowedAtOnce) {
  PullLedger ledger;
  EXPECT_FALSE(ledger.next(at(0)));
  ledger.allow(8);
  const auto ask = ledger.next(at(0));
  ASSERT_TRUE(ask);
  EXPECT_EQ(ask->batch, 8U);
  EXPECT_FALSE(ledger.next(at(0)));
}

TEST(PullLedger, AsksInQuartersWhileSomethingIsStillAskedFor) {
  PullLedger ledger;
  ledger.allow(8);
  ASSERT_TRUE(ledger.next(at(0)));
  ASSERT_TRUE(ledger.message(at(1)));
  ledger.allow(1);
  EXPECT_FALSE(ledger.next(at(1)));
  ASSERT_TRUE(ledger.message(at(2)));
  ledger.allow(1);
  const auto ask = ledger.next(at(2));
  ASSERT_TRUE(ask);
  EXPECT_EQ(ask->batch, 2U);
}

TEST(PullLedger, AsksForASingleOneWhenNothingIsAskedFor) {
  PullLedger ledger;
  ledger.allow(100);
  ASSERT_TRUE(ledger.next(at(0)));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(ledger.message(at(1)));
  ledger.allow(1);
  const auto ask = ledger.next(at(2));
  ASSERT_TRUE(ask);
  EXPECT_EQ(ask->batch, 1U);
}

TEST(PullLedger, WithdrawsWhatIsNotAskedForAtOnceAndTheRestWhenItsRequestEnds) {
  PullLedger ledger;
  ledger.allow(8);
  const auto ask = ledger.next(at(0));
  ASSERT_TRUE(ask);
  ledger.allow(1);
  EXPECT_EQ(ledger.withdraw(6), 1U);
  EXPECT_EQ(ledger.withdraw(6), 0U);
  ASSERT_TRUE(ledger.message(at(1)));
  ledger.ended(ask->id, 7, PullLedger::Ending::kExpired, at(5000));
  const auto again = ledger.next(at(5000));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->batch, 1U);
  EXPECT_EQ(ledger.withdraw(6), 6U);
  EXPECT_EQ(ledger.unasked(), 0U);
}

TEST(PullLedger, AllowingMoreEndsAWithdrawal) {
  PullLedger ledger;
  ledger.allow(4);
  const auto ask = ledger.next(at(0));
  ASSERT_TRUE(ask);
  EXPECT_EQ(ledger.withdraw(3), 0U);
  ledger.ended(ask->id, 4, PullLedger::Ending::kExpired, at(5000));
  ledger.allow(1);
  const auto again = ledger.next(at(5000));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->batch, 5U);
}

TEST(PullLedger, WhatIsAskedAndHeldNeverExceedsWhatWasAllowed) {
  PullLedger ledger;
  ledger.allow(4);
  std::size_t held = 0;
  for (int step = 0; step < 1000; ++step) {
    ledger.next(at(step));
    if (ledger.asked() > 0 && step % 3 != 0 && ledger.message(at(step))) ++held;
    if (held > 0 && step % 2 == 0) {
      --held;
      ledger.allow(1);
    }
    ASSERT_EQ(ledger.asked() + ledger.unasked() + held, 4U) << step;
  }
}

TEST(PullLedger, AnExpiredRequestIsAskedAgainForWhatIsLeftOver) {
  PullLedger ledger;
  ledger.allow(10);
  const auto ask = ledger.next(at(0));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(ledger.message(at(10)));
  ledger.ended(ask->id, 7, Ending::kExpired, at(5000));
  const auto again = ledger.next(at(5000));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->batch, 7U);
}

TEST(PullLedger, ARefusedRequestPausesBeforeTheNext) {
  PullLedger ledger;
  ledger.allow(10);
  const auto ask = ledger.next(at(0));
  ledger.ended(ask->id, std::nullopt, Ending::kRefused, at(1));
  EXPECT_FALSE(ledger.next(at(100)));
  const auto again = ledger.next(at(300));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->batch, 10U);
}

TEST(PullLedger, RecoversFromARequestThatTheServerDroppedWithoutAWord) {
  PullLedger ledger;
  ledger.allow(10);
  ASSERT_TRUE(ledger.next(at(0)));
  for (int ms = 0; ms <= 2400; ms += 400) ledger.tick(at(ms));
  EXPECT_FALSE(ledger.next(at(2400)));
  ledger.tick(at(2600));  // not a heartbeat for two and a half of them
  const auto again = ledger.next(at(2600));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->batch, 10U);
}

TEST(PullLedger, HeartbeatsKeepARequestAliveUntilItExpires) {
  PullLedger ledger;
  ledger.allow(10);
  ASSERT_TRUE(ledger.next(at(0)));
  for (int ms = 1000; ms < 6000; ms += 1000) {
    ledger.heartbeat(at(ms));
    ledger.tick(at(ms));
    EXPECT_EQ(ledger.asked(), 10U);
  }
  ledger.tick(at(6001));  // its status was lost
  EXPECT_EQ(ledger.asked(), 0U);
  EXPECT_TRUE(ledger.next(at(6001)));
}

TEST(PullLedger, GivesBackWhatComesFromRequestsBelievedLost) {
  PullLedger ledger;
  ledger.allow(2);
  ASSERT_TRUE(ledger.next(at(0)));
  ledger.forget();
  ASSERT_TRUE(ledger.next(at(1)));
  EXPECT_TRUE(ledger.message(at(2)));
  EXPECT_TRUE(ledger.message(at(2)));
  EXPECT_FALSE(ledger.message(at(2)));
}

TEST(PullLedger, StatusesOfForgottenRequestsChangeNothing) {
  PullLedger ledger;
  ledger.allow(5);
  const auto lost = ledger.next(at(0));
  ledger.forget();
  ASSERT_TRUE(ledger.next(at(1)));
  ledger.ended(lost->id, 5, Ending::kExpired, at(2));
  EXPECT_EQ(ledger.asked(), 5U);
  EXPECT_EQ(ledger.unasked(), 0U);
}

}  // namespace
}  // namespace toolway::bus
