// What a call's turn decides when the policy limits how many calls of its tool run at once.
#include "tests/unit/workers/call_turn_bench.h"
#include "workers/call/call_turn.h"

namespace toolway::workers::call {
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

Orders begin(test::HeldTurn& held, Permit permit) {
  return held.tell([permit](CallTurn& it, Step& now) {
    now.permit = permit;
    it.begin(now);
  });
}
Orders say(test::HeldTurn& held, Permit said, milliseconds later = milliseconds(0)) {
  return held.after(later, [said](CallTurn& it, Step& now) { it.permit_said(said, now); });
}
void expect_given_back(const Orders& orders, milliseconds delay = milliseconds(200)) {
  ASSERT_TRUE(orders.settle);
  EXPECT_EQ(orders.settle->kind, bus::SettleKind::kNak);
  EXPECT_EQ(orders.settle->delay, delay);
  EXPECT_TRUE(orders.released);
  EXPECT_FALSE(orders.publish);
  EXPECT_FALSE(orders.submit);
}

TEST(CallTurnPermit, AFullLimitGivesTheCallBackAndReadsAndWritesNothing) {
  test::HeldTurn held({.delivery_count = 7});
  const Orders orders = begin(held, Permit::kFull);
  expect_given_back(orders);
  EXPECT_FALSE(orders.read) << "however often it comes back";
  EXPECT_FALSE(orders.take_permit);
  EXPECT_TRUE(held.turn.over());
}

TEST(CallTurnPermit, TheToolStartsOnceThePermitIsTaken) {
  for (const bool idempotent : {true, false}) {
    test::HeldTurn held({.idempotent = idempotent});
    Orders orders = begin(held, Permit::kFree);
    EXPECT_TRUE(orders.take_permit);
    EXPECT_FALSE(orders.submit);
    EXPECT_FALSE(orders.publish);
    EXPECT_FALSE(held.thread_came().run);
    EXPECT_TRUE(held.turn.may_start());
    orders = say(held, Permit::kNotNeeded);
    if (!idempotent) {
      EXPECT_TRUE(test::event_of(orders).has_started());
      orders = held.store(orders);
    }
    EXPECT_TRUE(orders.submit);
    EXPECT_EQ(held.thread_came().run, 1U);
  }
}

TEST(CallTurnPermit, AnotherCallThatWasFasterCostsNoAttempt) {
  test::HeldTurn held({.idempotent = false});
  EXPECT_TRUE(begin(held, Permit::kFree).take_permit);
  expect_given_back(say(held, Permit::kFull));
  EXPECT_EQ(held.turn.attempt(), 1U);
}

TEST(CallTurnPermit, ALimitThatHasPassedEndsABusyCall) {
  v1::Limits limits;
  limits.set_queue_ms(1000);
  test::HeldTurn held({.limits = limits});
  const Orders orders = held.after(seconds(2), [](CallTurn& it, Step& now) {
    now.permit = Permit::kFull;
    it.begin(now);
  });
  EXPECT_TRUE(orders.read);
  EXPECT_FALSE(orders.settle);
}

TEST(CallTurnPermit, WhatWasSwitchedOffWhileThePermitWasTakenDoesNotStart) {
  test::HeldTurn held;
  EXPECT_TRUE(begin(held, Permit::kFree).take_permit);
  const Orders orders = held.tell([](CallTurn& it, Step& now) {
    now.refusal = Error{ErrorCode::kToolDisabled, "maintenance"};
    it.permit_said(Permit::kNotNeeded, now);
  });
  EXPECT_EQ(test::event_of(orders).completed().outcome(), v1::OUTCOME_REJECTED);
}

TEST(CallTurnPermit, AnAnswerThatComesTooLateStartsNothing) {
  test::HeldTurn held;
  EXPECT_TRUE(begin(held, Permit::kFree).take_permit);
  const Orders late = say(held, Permit::kNotNeeded, seconds(21));
  EXPECT_TRUE(late.released) << "another worker has the call by now";
  EXPECT_FALSE(late.submit);
  EXPECT_FALSE(say(held, Permit::kNotNeeded).submit);
}

TEST(CallTurnPermit, ADrainGivesItBackWhileItAsks) {
  test::HeldTurn held;
  EXPECT_TRUE(begin(held, Permit::kFree).take_permit);
  const Orders orders = held.tell([](CallTurn& it, Step& now) { it.give_back_unstarted(now); });
  expect_given_back(orders, milliseconds(0));
  EXPECT_FALSE(say(held, Permit::kNotNeeded).submit);
}

TEST(CallTurnPermit, ALostPermitStopsTheToolAndLeavesTheCallToAnother) {
  test::HeldTurn held;
  held.run();
  const Orders orders = held.tell([](CallTurn& it, Step& now) { it.permit_lost(now); });
  EXPECT_TRUE(orders.stop_tool);
  EXPECT_TRUE(orders.released);
  EXPECT_FALSE(orders.settle);
  EXPECT_FALSE(held.turn.over()) << "its tool has not returned";
}

/// The log of another publication of the call may show an attempt that runs elsewhere: how long
/// that has been silent must not be overestimated.
TEST(CallTurnPermit, TimesGivenBackCountForTheTimeThatTheyTook) {
  DeliveryHold hold({.sequence = 1, .delivery_count = 101, .stored_at = test::kWall},
                    WorkerOptions{}, MonotonicTime{});
  EXPECT_EQ(hold.server_time(), test::kWall + seconds(100));
  hold.comes_back_after(milliseconds(200));
  EXPECT_EQ(hold.server_time(), test::kWall + seconds(20));
}

}  // namespace
}  // namespace toolway::workers::call
