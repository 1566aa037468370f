// What a call's turn decides while its tool runs, and when it ends.
#include "workers/call/call_turn.h"

#include "tests/unit/workers/call_turn_bench.h"

namespace toolway::workers::call {
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

TEST(CallTurn, AnIdempotentToolRunsAtOnceAndOneEventSaysItAll) {
  test::HeldTurn held;
  Orders orders = held.begin();
  EXPECT_TRUE(orders.submit);
  EXPECT_FALSE(orders.publish);
  orders = held.thread_came();
  EXPECT_EQ(orders.run, 1u);
  EXPECT_FALSE(orders.publish);  // held back
  orders = held.tool_ended(test::done());
  EXPECT_TRUE(test::event_of(orders).completed().merged_start());
  EXPECT_FALSE(orders.released);
  EXPECT_FALSE(orders.settle);
  orders = held.store(orders);
  EXPECT_TRUE(test::acks(orders));
  EXPECT_TRUE(orders.released);
  EXPECT_EQ(orders.completed, v1::OUTCOME_SUCCEEDED);
  EXPECT_TRUE(held.turn.over());
}

TEST(CallTurn, AToolThatMustNotRunTwiceRunsOnceItsStartedIsStored) {
  test::HeldTurn held({.idempotent = false});
  Orders orders = held.begin();
  EXPECT_FALSE(orders.submit);
  EXPECT_FALSE(held.thread_came().run);
  ASSERT_TRUE(test::event_of(orders).has_started());
  EXPECT_TRUE(held.store(orders).submit);
  EXPECT_TRUE(held.thread_came().run);
}

TEST(CallTurn, AToolThatIsSwitchedOffDoesNotStart) {
  test::HeldTurn held;
  EXPECT_TRUE(held.turn.may_start());
  const Orders orders = held.tell([](CallTurn& it, Step& now) {
    now.refusal = Error{ErrorCode::kToolDisabled, "maintenance"};
    it.begin(now);
  });
  EXPECT_FALSE(orders.submit);
  EXPECT_EQ(test::event_of(orders).completed().outcome(), v1::OUTCOME_REJECTED);
  EXPECT_FALSE(held.turn.may_start());
}

TEST(CallTurnDelivery, IsExtendedInTimeWhileTheBusIsThere) {
  test::HeldTurn held;
  held.run();
  held.store(held.pass(milliseconds(2)));  // Started
  EXPECT_FALSE(held.pass(milliseconds(1900)).settle);
  const Orders orders = held.pass(milliseconds(100));
  ASSERT_TRUE(orders.settle);
  EXPECT_EQ(orders.settle->kind, bus::SettleKind::kInProgress);
  EXPECT_FALSE(orders.released);
}

TEST(CallTurnDelivery, ThatCannotBeExtendedEndsTheAttemptWithoutAWord) {
  test::HeldTurn held;
  held.run();
  held.store(held.pass(milliseconds(2), test::kDisconnected));
  for (int second = 1; second < 20; ++second) {
    const Orders orders = held.pass(seconds(1), test::kDisconnected);
    EXPECT_FALSE(orders.stop_tool || orders.settle || orders.released) << second;
  }
  Orders orders = held.pass(seconds(1), test::kDisconnected);
  EXPECT_TRUE(orders.stop_tool);
  EXPECT_TRUE(orders.released);
  EXPECT_TRUE(orders.abandon_thread);
  EXPECT_FALSE(orders.settle);
  EXPECT_FALSE(orders.publish);
  EXPECT_FALSE(held.turn.over());  // its tool still runs
  orders = held.tool_ended(test::done());
  EXPECT_FALSE(orders.publish);
  EXPECT_TRUE(held.turn.over());
}

TEST(CallTurnDelivery, ThatCannotBeExtendedDoesNotEndACompletionThatIsKnown) {
  test::HeldTurn held;
  held.run();
  EXPECT_TRUE(held.tool_ended(test::done()).publish);
  Orders orders = held.pass(seconds(60), test::kDisconnected);
  EXPECT_FALSE(orders.released);
  orders = held.published(fail(ErrorCode::kTimeout, "no answer"));
  EXPECT_FALSE(orders.released);
}

TEST(CallTurnDelivery, ThatCameAgainCountsFromThen) {
  test::HeldTurn held;
  held.run();
  held.pass(seconds(19), test::kDisconnected);
  EXPECT_TRUE(held.turn.redelivered({.sequence = 1, .delivery_count = 2, .stored_at = test::kWall},
                                    held.step().now));
  EXPECT_FALSE(held.pass(seconds(19), test::kDisconnected).released);
  EXPECT_TRUE(held.pass(seconds(1), test::kDisconnected).released);
  EXPECT_FALSE(held.turn.redelivered({}, held.step().now));
}

v1::Limits run_limit(milliseconds limit) {
  v1::Limits limits;
  limits.set_run_ms(limit.count());
  return limits;
}

TEST(CallTurnLimit, AToolThatReturnsInItsGraceHasStoppedByItself) {
  for (const bool forced : {false, true}) {
    test::HeldTurn held({.limits = run_limit(seconds(3))});
    held.run();
    held.store(held.pass(seconds(2)));
    Orders orders = held.pass(milliseconds(999));
    EXPECT_FALSE(orders.stop_tool);
    orders = held.pass(milliseconds(1));
    EXPECT_TRUE(orders.stop_tool);
    EXPECT_FALSE(orders.publish);
    orders = held.tool_ended(test::done(), forced);
    const auto completed = test::event_of(orders).completed();
    EXPECT_EQ(completed.outcome(), v1::OUTCOME_TIMED_OUT);
    EXPECT_EQ(completed.stop(), forced ? v1::STOP_SIGNALLED : v1::STOP_COOPERATIVE);
    EXPECT_EQ(orders.hanging, 0);
  }
}

TEST(CallTurnLimit, AToolThatDoesNotReturnLosesItsThread) {
  test::HeldTurn held({.limits = run_limit(seconds(3))});
  held.run();
  held.store(held.pass(seconds(2)));
  EXPECT_TRUE(held.pass(seconds(1)).stop_tool);
  Orders orders = held.pass(milliseconds(1999));
  EXPECT_FALSE(orders.abandon_thread);
  EXPECT_EQ(orders.hanging, 0);
  orders = held.pass(milliseconds(1));
  EXPECT_TRUE(orders.abandon_thread);
  EXPECT_EQ(orders.hanging, 1);
  EXPECT_FALSE(orders.released);
  EXPECT_EQ(test::event_of(orders).completed().outcome(), v1::OUTCOME_TIMED_OUT);
  EXPECT_EQ(test::event_of(orders).completed().stop(), v1::STOP_ABANDONED);
  orders = held.store(orders);
  EXPECT_TRUE(test::acks(orders));
  EXPECT_TRUE(orders.released);
  EXPECT_FALSE(orders.abandon_thread);  // once
  EXPECT_TRUE(held.turn.thread_abandoned());
  EXPECT_TRUE(held.turn.over());
  orders = held.tool_ended(test::done());
  EXPECT_EQ(orders.hanging, -1);
  EXPECT_FALSE(orders.publish);
}

TEST(CallTurnLimit, ReportsThatWaitAndChunksThatAreStoredAreProgress) {
  v1::Limits limits;
  limits.set_heartbeat_ms(1000);
  test::HeldTurn held({.limits = limits});
  held.run();
  held.store(held.pass(milliseconds(500)));
  EXPECT_FALSE(held.pass(milliseconds(500), {.progress = {.reports_wait = true}}).stop_tool);
  EXPECT_FALSE(held.pass(milliseconds(1000), {.progress = {.chunks_stored = 1}}).stop_tool);
  EXPECT_FALSE(held.pass(milliseconds(999), {.progress = {.chunks_stored = 1}}).stop_tool);
  EXPECT_TRUE(held.pass(milliseconds(1), {.progress = {.chunks_stored = 1}}).stop_tool);
}

TEST(CallTurnLimit, OfTheQueuePassesWhileTheCallWaitsForAThread) {
  v1::Limits limits;
  limits.set_queue_ms(1000);
  test::HeldTurn held({.limits = limits});
  EXPECT_TRUE(held.begin().submit);
  held.pass(seconds(2));
  const Orders orders = held.thread_came();
  EXPECT_FALSE(orders.run);
  EXPECT_EQ(test::event_of(orders).completed().error().code(), "queue_limit_exceeded");
}

TEST(CallTurnCancel, ACallThatWaitsForAThreadNeverStarts) {
  test::HeldTurn held;
  EXPECT_TRUE(held.begin().submit);
  held.log.cancel(held.call);
  EXPECT_TRUE(held.look().read);
  Orders orders = held.read();
  EXPECT_EQ(test::event_of(orders).completed().outcome(), v1::OUTCOME_CANCELLED);
  EXPECT_EQ(test::event_of(orders).completed().started_at_us(), 0);
  EXPECT_FALSE(held.thread_came().run);
  EXPECT_TRUE(test::acks(held.store(orders)));
  EXPECT_TRUE(held.log.contiguous());
}

TEST(CallTurnCancel, StopsAToolThatRuns) {
  test::HeldTurn held({.idempotent = false});
  held.run();
  held.log.cancel(held.call);
  EXPECT_TRUE(held.look().read);
  Orders orders = held.read();
  EXPECT_TRUE(orders.stop_tool);
  EXPECT_FALSE(orders.publish);
  orders = held.tool_ended(test::done());
  EXPECT_EQ(test::event_of(orders).completed().outcome(), v1::OUTCOME_CANCELLED);
  EXPECT_EQ(test::event_of(orders).completed().stop(), v1::STOP_COOPERATIVE);
  held.store(orders);
  EXPECT_TRUE(held.log.contiguous());
}

TEST(CallTurnCancel, DoesNotChangeHowAToolEndedBefore) {
  test::HeldTurn held({.idempotent = false});
  held.run();
  Orders orders = held.tool_ended(test::done());
  held.log.cancel(held.call);
  orders = held.store(orders);
  ASSERT_TRUE(orders.read);
  orders = held.read();
  EXPECT_EQ(test::event_of(orders).completed().outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(orders.publish->expected_last, held.log.sequence());
}

TEST(CallTurnDrain, GivesBackWhatHasNotStarted) {
  test::HeldTurn held;
  held.begin();
  const auto give_back = [](CallTurn& it, Step& now) { it.give_back_unstarted(now); };
  EXPECT_TRUE(test::gives_back(held.tell(give_back), milliseconds(0)));
  EXPECT_FALSE(held.thread_came().run);
  test::HeldTurn started({.idempotent = false});
  started.run();
  EXPECT_FALSE(started.tell(give_back).released);
}

Orders drain(test::HeldTurn& held) {
  return held.tell([](CallTurn& it, Step& now) { it.stop_for_drain(now); });
}

TEST(CallTurnDrain, GivesAnIdempotentToolBackWhateverItReturns) {
  test::HeldTurn held;
  held.run();
  Orders orders = drain(held);
  EXPECT_TRUE(orders.stop_tool);
  EXPECT_FALSE(orders.released);
  orders = held.tool_ended(test::done());
  EXPECT_TRUE(test::gives_back(orders, milliseconds(0)));
  EXPECT_FALSE(orders.publish);
}

TEST(CallTurnDrain, KeepsTheResultOfAToolThatMustNotRunTwice) {
  test::HeldTurn held({.idempotent = false});
  held.run();
  drain(held);
  const Orders orders = held.tool_ended(test::done());
  EXPECT_FALSE(orders.released);
  EXPECT_EQ(test::event_of(orders).completed().outcome(), v1::OUTCOME_SUCCEEDED);
}

TEST(CallTurnDrain, AToolThatMustNotRunTwiceAndStoppedIsUnknown) {
  test::HeldTurn held({.idempotent = false});
  held.run();
  drain(held);
  const Orders orders = held.tool_ended(test::failed("cancelled", false), true);
  EXPECT_EQ(test::event_of(orders).completed().outcome(), v1::OUTCOME_UNKNOWN);
  EXPECT_EQ(test::event_of(orders).completed().stop(), v1::STOP_SIGNALLED);
}

TEST(CallTurnDrain, AToolThatDoesNotReturnIsGivenBackWithoutAWord) {
  test::HeldTurn held({.idempotent = false});
  held.run();
  drain(held);
  EXPECT_FALSE(held.pass(milliseconds(1999)).released);
  const Orders orders = held.pass(milliseconds(1));
  EXPECT_TRUE(test::gives_back(orders, milliseconds(0)));
  EXPECT_TRUE(orders.abandon_thread);
  EXPECT_EQ(orders.hanging, 1);
  EXPECT_FALSE(orders.publish);
}

tools::model::RetryPolicy twice(milliseconds delay) {
  return {.max_attempts = 2, .initial_delay = delay, .factor = 1, .max_delay = delay};
}

TEST(CallTurnRetry, AFailedAttemptIsFollowedByAnother) {
  test::HeldTurn held({.retry = twice(seconds(1))});
  held.run();
  Orders orders = held.tool_ended(test::failed("busy"));
  EXPECT_FALSE(orders.released);
  ASSERT_TRUE(orders.attempt_ended);
  EXPECT_EQ(orders.attempt_ended->next, AttemptEnd::Next::kRetry);
  EXPECT_EQ(orders.attempt_ended->error, AttemptEnd::Error::kCounted);
  orders = held.store(orders);  // Started
  EXPECT_EQ(test::event_of(orders).retry_at().attempts_left(), 1u);
  const auto due = from_unix_us(test::event_of(orders).retry_at().at_us());
  EXPECT_GT(due, test::kWall + milliseconds(899));
  orders = held.store(orders);
  EXPECT_TRUE(orders.retried);
  EXPECT_TRUE(test::gives_back(orders, std::chrono::ceil<milliseconds>(due - test::kWall)));
}

TEST(CallTurnRetry, WaitsElsewhereWhenItIsLong) {
  test::HeldTurn held({.retry = twice(seconds(60))});
  held.run();
  const Orders orders = held.store(held.store(held.tool_ended(test::failed("busy"))));
  EXPECT_TRUE(test::acks(orders));
  EXPECT_TRUE(orders.released);
  EXPECT_FALSE(orders.completed);
}

TEST(CallTurnRetry, TheLastAttemptEndsTheCall) {
  test::HeldTurn held({.retry = twice(seconds(1))});
  test::Writer before(held.call, "other");
  before.log.start(7, log::CallLog::StartEvent::kNow);
  v1::RetryAt retry;
  retry.set_at_us(to_unix_us(test::kWall));
  before.log.fail_for_now(retry);
  before.write_all(held.log);
  EXPECT_TRUE(held.begin().submit);  // it does not know yet
  held.thread_came();
  Orders orders = held.tool_ended(test::failed("busy"));
  orders = held.store(orders);
  ASSERT_TRUE(orders.read);
  orders = held.read();
  EXPECT_EQ(test::event_of(orders).completed().outcome(), v1::OUTCOME_FAILED);
}

TEST(CallTurnReports, AreHandedInWhileTheirLogHasRoom) {
  test::HeldTurn held({.multi_step = true});
  held.store(held.run());
  EXPECT_TRUE(held.turn.takes_reports());
  std::vector<tools::model::ProgressReport> reports(2);
  reports[0].data = Json(std::string(log::Backlog::kMaxReportData - 100, 'x'));
  reports[1].data = reports[0].data;
  const Orders orders = held.tell([&](CallTurn& it, Step& now) {
    it.reported(std::move(reports), now);
    EXPECT_FALSE(it.takes_reports());
    it.reports_wait(now);
  });
  EXPECT_TRUE(test::event_of(orders).has_progress());
}

}  // namespace
}  // namespace toolway::workers::call
