// What a call's turn concludes from what the bus answers, and from what it does not answer.
#include "tests/unit/workers/call_turn_bench.h"

namespace toolway::workers::call {
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// EVENTS has lost all that is older than this call, and keeps losing.
const EventsHeld kMoved{
    .since = test::kWall, .incarnation = 7, .first_sequence = 100, .moves = true};

TEST(CallTurnRedo, SendsTheSameBytesAgainAfterAGrowingDelay) {
  test::HeldTurn held;
  held.run();
  const Orders first = held.tool_ended(test::done());
  auto delay = milliseconds(50);
  for (int times = 0; times < 7; ++times) {
    Orders orders = held.published(fail(ErrorCode::kTimeout, "no answer"));
    EXPECT_FALSE(orders.publish);
    EXPECT_FALSE(held.pass(delay - milliseconds(1)).publish) << times;
    orders = held.pass(milliseconds(1));
    ASSERT_TRUE(orders.publish) << times;
    EXPECT_EQ(orders.publish->payload, first.publish->payload);
    EXPECT_EQ(orders.publish->expected_last, first.publish->expected_last);
    delay = std::min(delay * 2, milliseconds(1000));
  }
  EXPECT_TRUE(test::acks(held.store(first)));
}

TEST(CallTurnRedo, AnAnswerMakesTheNextDelayShortAgain) {
  test::HeldTurn held({.idempotent = false});
  const Orders started = held.begin();
  held.published(fail(ErrorCode::kTimeout, "no answer"));
  held.pass(milliseconds(50));
  held.published(fail(ErrorCode::kTimeout, "no answer"));
  held.store(held.pass(milliseconds(100)));
  held.thread_came();
  held.tool_ended(test::done());
  held.published(fail(ErrorCode::kTimeout, "no answer"));
  EXPECT_FALSE(held.pass(milliseconds(49)).publish);
  EXPECT_TRUE(held.pass(milliseconds(1)).publish);
}

TEST(CallTurnRedo, WhatWasStoredAfterAllIsFoundByReading) {
  test::HeldTurn held;
  held.run();
  Orders orders = held.tool_ended(test::done());
  ASSERT_NE(held.log.offer(*orders.publish), 0u);  // its PubAck is lost
  held.published(fail(ErrorCode::kTimeout, "no answer"));
  orders = held.store(held.pass(milliseconds(50)));
  EXPECT_TRUE(orders.read);
  orders = held.read();
  EXPECT_TRUE(test::acks(orders));
  EXPECT_EQ(orders.completed, v1::OUTCOME_SUCCEEDED);
}

TEST(CallTurnRefused, ACompletionThatIsTooLargeIsReplacedOnce) {
  test::HeldTurn held;
  held.run();
  held.tool_ended(test::done());
  Orders orders = held.published(fail(ErrorCode::kPayloadTooLarge, "too large"));
  EXPECT_EQ(test::event_of(orders).completed().outcome(), v1::OUTCOME_FAILED);
  EXPECT_EQ(orders.lines.size(), 1u);
  orders = held.published(fail(ErrorCode::kPayloadTooLarge, "too large"));
  EXPECT_TRUE(orders.released);
  EXPECT_FALSE(orders.settle);
  EXPECT_FALSE(orders.publish);
}

TEST(CallTurnLook, AFirstEventIsNotRepeatedOnOldKnowledge) {
  test::HeldTurn held;
  held.run();
  held.tool_ended(test::done());
  held.published(fail(ErrorCode::kTimeout, "no answer"));
  Orders orders = held.pass(seconds(20));
  EXPECT_FALSE(orders.publish);
  EXPECT_TRUE(orders.read);
  orders = held.read();
  EXPECT_TRUE(orders.ask_window);
  orders = held.window(EventsHeld{.since = test::kWall - seconds(60)});
  EXPECT_TRUE(orders.publish);
}

TEST(CallTurnLook, ACallThatCameAgainLooksBeforeItStarts) {
  test::HeldTurn held({.delivery_count = 2});
  Orders orders = held.begin();
  EXPECT_TRUE(orders.read);
  EXPECT_FALSE(orders.submit);
  EXPECT_TRUE(held.read().ask_window);
  orders = held.window(EventsHeld{.since = test::kWall - seconds(60)});
  EXPECT_TRUE(orders.submit);
  EXPECT_FALSE(orders.look_up);
}

TEST(CallTurnLook, AWindowThatMovesHasNoSayAndCollectorsAreAsked) {
  test::HeldTurn held({.delivery_count = 2});
  held.begin();
  held.read();
  Orders orders = held.window(kMoved);
  EXPECT_TRUE(orders.look_up);
  EXPECT_FALSE(orders.submit);
  v1::LookupAnswer answer;
  answer.set_recorded_until_us(to_unix_us(test::kWall + seconds(11)));
  EXPECT_TRUE(held.looked_up(answer.SerializeAsString()).submit);
}

TEST(CallTurnLook, WhatCollectorsDoNotKnowYetWaits) {
  test::HeldTurn held({.delivery_count = 2});
  held.begin();
  held.read();
  held.window(kMoved);
  v1::LookupAnswer answer;
  answer.set_recorded_until_us(to_unix_us(test::kWall + seconds(10)));
  EXPECT_TRUE(test::gives_back(held.looked_up(answer.SerializeAsString()), seconds(5)));
}

TEST(CallTurnLook, WithoutACollectorTheCallIsGivenBack) {
  test::HeldTurn held({.delivery_count = 2});
  held.begin();
  held.read();
  held.window(kMoved);
  const Orders orders = held.looked_up(fail(ErrorCode::kTimeout, "no answer"));
  EXPECT_TRUE(test::gives_back(orders, seconds(5)));
  ASSERT_EQ(orders.lines.size(), 1u);
  EXPECT_EQ(orders.lines[0].severity, LogLine::Severity::kWarning);
}

TEST(CallTurnLook, EventsThatHaveLeftTheStreamAreAskedOfTheCollectors) {
  test::HeldTurn held({.idempotent = false});
  held.run();
  const log::LastEvent started = *held.log.last();
  held.log = test::Subject();
  EXPECT_TRUE(held.look().read);
  Orders orders = held.read();
  EXPECT_TRUE(orders.look_up);
  EXPECT_FALSE(orders.released);
  EXPECT_EQ(orders.lines.size(), 1u);
  // Its tool runs on, and the collectors are asked until one answers.
  orders = held.looked_up(fail(ErrorCode::kTimeout, "no answer"));
  EXPECT_FALSE(orders.released);
  EXPECT_TRUE(held.pass(milliseconds(50)).look_up);
  v1::LookupAnswer answer;
  answer.set_last_event(started.payload);
  held.looked_up(answer.SerializeAsString());
  orders = held.tool_ended(test::done());
  ASSERT_TRUE(orders.publish);
  EXPECT_EQ(orders.publish->expected_last, 0u);
  EXPECT_EQ(test::event_of(orders).seq(), 2u);
}

TEST(CallTurnLook, ACompletionThatOnlyCollectorsHaveEndsTheCall) {
  test::HeldTurn held({.delivery_count = 2});
  held.begin();
  held.read();
  held.window(kMoved);
  test::Writer other(held.call, "other");
  other.log.complete(test::done());
  other.write_all(held.log);
  v1::LookupAnswer answer;
  answer.set_last_event(held.log.last()->payload);
  const Orders orders = held.looked_up(answer.SerializeAsString());
  EXPECT_TRUE(test::acks(orders));
  EXPECT_TRUE(orders.released);
}

TEST(CallTurnLook, AStreamThatLostTheLogsEndStopsTheTool) {
  test::HeldTurn held({.idempotent = false});
  test::Subject old;
  old.cancel(held.call);
  held.run();
  held.store(held.after(seconds(10), [](CallTurn& it, Step& now) {
    it.time_passed({}, now);  // Alive
  }));
  held.look();
  const Orders orders = held.tell([&](CallTurn& it, Step& now) {
    it.last_read(bus::StoredMessage{.payload = old.last()->payload, .sequence = 50}, now);
  });
  EXPECT_TRUE(orders.stop_tool);
  EXPECT_TRUE(test::gives_back(orders, seconds(5)));
}

/// A call that came again, while its last event says that another worker runs it.
struct Contested : test::HeldTurn {
  explicit Contested(bool idempotent = true)
      : test::HeldTurn({.idempotent = idempotent, .delivery_count = 2}) {
    test::Writer other(call, "other");
    other.log.start(7, log::CallLog::StartEvent::kNow);
    other.write_all(log);
    EXPECT_TRUE(begin().read);
    const Orders orders = read();
    EXPECT_EQ(orders.ask_worker, "other");
    EXPECT_FALSE(orders.took_over || orders.submit);
  }
  static std::string answer(bool held) {
    v1::ControlAnswer said;
    said.set_held(held);
    return said.SerializeAsString();
  }
};

TEST(CallTurnPeer, ThatHoldsTheCallKeepsIt) {
  Contested held;
  const Orders orders = held.peer_said(Contested::answer(true));
  EXPECT_TRUE(test::gives_back(orders, seconds(2)));
  EXPECT_FALSE(orders.took_over);
}

TEST(CallTurnPeer, ThatHasNotTheCallIsFollowed) {
  Contested held;
  Orders orders = held.peer_said(Contested::answer(false));
  EXPECT_TRUE(orders.took_over);
  EXPECT_TRUE(orders.submit);
  orders = held.thread_came();
  EXPECT_EQ(orders.run, 2u);
}

TEST(CallTurnPeer, AToolThatMustNotRunTwiceIsNotStartedAfterIt) {
  Contested held(false);
  const Orders orders = held.peer_said(Contested::answer(false));
  EXPECT_TRUE(orders.took_over);
  EXPECT_FALSE(orders.submit);
  EXPECT_EQ(test::event_of(orders).completed().outcome(), v1::OUTCOME_UNKNOWN);
}

TEST(CallTurnPeer, ThatHasGoneMayComeBackToABusThatWasAway) {
  Contested held;
  const Orders orders = held.peer_said(fail(ErrorCode::kNotFound, "not connected"), seconds(2));
  EXPECT_TRUE(test::gives_back(orders, seconds(1)));
}

TEST(CallTurnPeer, IsAskedAgainWhenTheQuestionWasNotSent) {
  Contested held;
  const Orders orders = held.peer_said(fail(ErrorCode::kBusUnavailable, "not connected"));
  EXPECT_FALSE(orders.released);
  EXPECT_TRUE(held.pass(milliseconds(50)).read);
  EXPECT_EQ(held.read().ask_worker, "other");
}

TEST(CallTurnPeer, WithoutAnExtensionItsAnswerComesTooLate) {
  Contested held;
  const Orders orders = held.after(seconds(20), [](CallTurn& it, Step& now) {
    it.peer_said(Contested::answer(false), seconds(60), now);
  });
  EXPECT_TRUE(orders.released);
  EXPECT_FALSE(orders.submit || orders.took_over);
}

}  // namespace
}  // namespace toolway::workers::call
