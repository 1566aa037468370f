#include "workers/log/call_log.h"

#include "tests/unit/workers/call_log_bench.h"

namespace toolway::workers::log {
namespace {

using StartEvent = CallLog::StartEvent;

TEST(CallLog, WritesStartedThenReportsThenCompletion) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  a.log.backlog().add(tools::model::LogLevel::kInfo, "hello");
  a.log.complete(test::done());
  a.write_all(subject);
  ASSERT_EQ(subject.events().size(), 3u);
  EXPECT_EQ(subject.events()[0].event.started().started_at_us(), 7);
  EXPECT_EQ(subject.events()[1].event.log().message(), "hello");
  const auto& completed = subject.events()[2].event;
  EXPECT_EQ(completed.completed().result(), "\"done\"");
  EXPECT_FALSE(completed.completed().merged_start());
  EXPECT_EQ(completed.completed().started_at_us(), 7);
  EXPECT_EQ(completed.attempt(), 1u);
  EXPECT_TRUE(subject.contiguous());
  EXPECT_TRUE(a.log.finished());
}

TEST(CallLog, MergesAHeldBackStartIntoTheCompletion) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kHeldBack);
  EXPECT_FALSE(a.write(subject));
  a.log.complete(test::done());
  a.write_all(subject);
  ASSERT_EQ(subject.events().size(), 1u);
  EXPECT_TRUE(subject.events()[0].event.completed().merged_start());
  EXPECT_EQ(subject.events()[0].event.seq(), 2u);
}

TEST(CallLog, AReportDoesNotPrecedeItsStart) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kHeldBack);
  a.log.backlog().add(tools::model::LogLevel::kInfo, "hello");
  a.log.complete(test::done());
  a.write_all(subject);
  ASSERT_EQ(subject.events().size(), 3u);
  EXPECT_TRUE(subject.events()[0].event.has_started());
  EXPECT_TRUE(subject.contiguous());
}

TEST(CallLog, HasOneEventInFlight) {
  const auto call = test::request();
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  a.log.complete(test::done());
  ASSERT_TRUE(a.log.next(test::kWall, test::kNow));
  EXPECT_FALSE(a.log.next(test::kWall, test::kNow));
}

TEST(CallLog, ItsOwnEventPublishedTwiceIsStored) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  const auto publish = a.log.next(test::kWall, test::kNow);
  ASSERT_NE(subject.offer(*publish), 0u);  // stored, but the PubAck is lost
  const auto again = a.log.again();
  EXPECT_EQ(again.payload, publish->payload);
  EXPECT_EQ(subject.offer(again), 0u);
  ASSERT_EQ(a.log.met(subject.last()), Conclusion::kStored);
  a.log.acked(subject.sequence());
  a.log.complete(test::done());
  a.write_all(subject);
  EXPECT_EQ(subject.events().size(), 2u);
  EXPECT_TRUE(subject.contiguous());
}

TEST(CallLog, NothingNewThereMeansAgain) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  ASSERT_TRUE(a.log.next(test::kWall, test::kNow));
  EXPECT_EQ(a.log.met(std::nullopt), Conclusion::kAgain);
  ASSERT_NE(subject.offer(a.log.again()), 0u);
  a.log.acked(subject.sequence());
  a.log.complete(test::done());
  ASSERT_TRUE(a.log.next(test::kWall, test::kNow));
  EXPECT_EQ(a.log.met(subject.last()), Conclusion::kAgain);
}

TEST(CallLog, ACompletionThereEndsIt) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kHeldBack);
  a.log.complete(test::done());
  a.write_all(subject);
  test::Writer b(call, "b", DeliveryAge::kRepeated);
  EXPECT_EQ(b.log.met(subject.last()), Conclusion::kFinished);
  test::Writer optimist(call, "c");
  optimist.log.start(8, StartEvent::kHeldBack);
  optimist.log.complete(test::done());
  EXPECT_FALSE(optimist.write(subject));
  EXPECT_EQ(optimist.log.met(subject.last()), Conclusion::kFinished);
}

TEST(CallLog, ANewerDeliveryTakesOverAndTheOlderWriterAddsNothing) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer paused(call, "a");
  paused.log.start(7, StartEvent::kNow);
  paused.write_all(subject);

  test::Writer b(call, "b", DeliveryAge::kRepeated);
  ASSERT_EQ(b.log.met(subject.last()), Conclusion::kTakenOver);
  EXPECT_EQ(b.log.attempt(), 2u);
  b.log.start(8, StartEvent::kNow);
  b.write_all(subject);

  paused.log.complete(test::done());
  EXPECT_FALSE(paused.write(subject));
  EXPECT_EQ(paused.log.met(subject.last()), Conclusion::kLost);

  b.log.complete(test::done());
  b.write_all(subject);
  ASSERT_EQ(subject.events().size(), 3u);
  EXPECT_EQ(subject.events()[2].event.worker_id(), "b");
  EXPECT_EQ(subject.events()[2].event.attempt(), 2u);
  EXPECT_TRUE(subject.contiguous());
}

TEST(CallLog, AFirstDeliveryStopsAtAnotherAttempt) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  a.write_all(subject);
  test::Writer b(call, "b");
  b.log.start(8, StartEvent::kNow);
  EXPECT_FALSE(b.write(subject));
  EXPECT_EQ(b.log.met(subject.last()), Conclusion::kLost);
}

TEST(CallLog, ARefusedTakeoverContinuesAsTheNextAttempt) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer b(call, "b", DeliveryAge::kRepeated);
  ASSERT_EQ(b.log.met(std::nullopt), Conclusion::kGoOn);
  test::Writer late(call, "a");
  late.log.start(7, StartEvent::kNow);
  late.write_all(subject);

  b.log.start(8, StartEvent::kHeldBack);
  b.log.complete(test::done());
  EXPECT_FALSE(b.write(subject));
  ASSERT_EQ(b.log.met(subject.last()), Conclusion::kTakenOver);
  b.write_all(subject);
  const auto& last = subject.events().back().event;
  EXPECT_EQ(last.attempt(), 2u);
  EXPECT_EQ(last.seq(), 3u);
  EXPECT_TRUE(last.completed().merged_start());
  EXPECT_TRUE(subject.contiguous());
}

TEST(CallLog, WhatMustNotRunTwiceIsUnknown) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a", DeliveryAge::kFirst, Rerun::kForbidden);
  a.log.start(7, StartEvent::kNow);
  a.write_all(subject);
  test::Writer b(call, "b", DeliveryAge::kRepeated, Rerun::kForbidden);
  ASSERT_EQ(b.log.met(subject.last()), Conclusion::kNotAgain);
  b.log.complete(unknown_after(1));
  b.write_all(subject);
  const auto& last = subject.events().back().event;
  EXPECT_EQ(last.completed().outcome(), v1::OUTCOME_UNKNOWN);
  EXPECT_EQ(last.attempt(), 1u);
  EXPECT_FALSE(last.completed().merged_start());
  EXPECT_TRUE(subject.contiguous());
}

TEST(CallLog, ACancellationThatCameFirstMeansThatItNeverStarts) {
  const auto call = test::request();
  test::Subject subject;
  subject.cancel(call);
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  EXPECT_FALSE(a.write(subject));
  ASSERT_EQ(a.log.met(subject.last()), Conclusion::kCancelled);
  a.log.never_started();
  a.log.complete(cancelled());
  a.write_all(subject);
  ASSERT_EQ(subject.events().size(), 2u);
  const auto& last = subject.events().back().event;
  EXPECT_EQ(last.completed().started_at_us(), 0);
  EXPECT_EQ(last.attempt(), 0u);
  EXPECT_TRUE(subject.contiguous());
}

TEST(CallLog, ACancellationMidwayIsChainedToAndNoReportIsLost) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  a.write_all(subject);
  subject.cancel(call);
  a.log.backlog().add(tools::model::ProgressReport{.progress = 3});
  EXPECT_FALSE(a.write(subject));
  ASSERT_EQ(a.log.met(subject.last()), Conclusion::kCancelled);
  a.log.complete(cancelled());
  a.write_all(subject);
  ASSERT_EQ(subject.events().size(), 4u);
  EXPECT_EQ(subject.events()[2].event.progress().progress(), 3);
  EXPECT_EQ(subject.events()[3].event.completed().outcome(), v1::OUTCOME_CANCELLED);
  EXPECT_EQ(subject.events()[3].event.attempt(), 1u);
  EXPECT_TRUE(subject.contiguous());
}

TEST(CallLog, EventsThatAreGoneAreNoticed) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  a.write_all(subject);
  a.log.complete(test::done());
  ASSERT_TRUE(a.log.next(test::kWall, test::kNow));
  EXPECT_EQ(a.log.met(std::nullopt), Conclusion::kVanished);
}

TEST(CallLog, AliveIsWrittenOnceAndOnlyAfterTheStart) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.alive();
  EXPECT_FALSE(a.write(subject));
  a.log.start(7, StartEvent::kNow);
  a.write_all(subject);
  ASSERT_EQ(subject.events().size(), 2u);
  EXPECT_TRUE(subject.events()[1].event.has_alive());
}

TEST(RunsElsewhere, OnlyAnAttemptOfAnotherPublicationThatWasJustHeardFrom) {
  constexpr std::chrono::seconds kAgo{44};
  v1::CallEvent last;
  last.mutable_started();
  last.set_call_sequence(7);
  EXPECT_TRUE(runs_elsewhere(last, 9, kAgo));
  EXPECT_FALSE(runs_elsewhere(last, 7, kAgo))
      << "our own publication: its worker's delivery ran out";
  EXPECT_FALSE(runs_elsewhere(last, 9, std::chrono::seconds(45))) << "silent";
  EXPECT_TRUE(runs_elsewhere(last, 9, std::chrono::seconds(-3600)))
      << "it spoke after this was published";
  last.mutable_alive();
  EXPECT_TRUE(runs_elsewhere(last, 9, kAgo));
  last.mutable_retry_at();
  EXPECT_FALSE(runs_elsewhere(last, 9, kAgo)) << "that attempt has ended";
  last.mutable_cancel_requested();
  EXPECT_FALSE(runs_elsewhere(last, 9, kAgo));
  last.mutable_progress();
  last.set_call_sequence(0);
  EXPECT_FALSE(runs_elsewhere(last, 9, kAgo)) << "a worker of an earlier version does not say";
}

TEST(CallLog, AReportThatTheBusDoesNotTakeIsLeftOutAndCounted) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  a.write_all(subject);
  a.log.backlog().add(tools::model::ProgressReport{.progress = 1});
  ASSERT_TRUE(a.log.next(test::kWall, test::kNow));
  a.log.drop_report();
  EXPECT_FALSE(a.log.in_flight());
  EXPECT_EQ(a.log.backlog().dropped(), 1u);
  a.log.complete(test::done());
  a.write_all(subject);
  EXPECT_TRUE(subject.contiguous());
  EXPECT_TRUE(subject.last()->event.has_completed());
}

TEST(CallLog, SaysHowManyReportsWereDropped) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  a.log.backlog().add(
      tools::model::ProgressReport{.data = std::string(Backlog::kMaxReportData + 1, 'x')});
  a.log.complete(test::done());
  a.write_all(subject);
  ASSERT_EQ(subject.events().size(), 4u);
  EXPECT_NE(subject.events()[2].event.log().message().find("1 "), std::string::npos);
  EXPECT_TRUE(subject.events()[3].event.has_completed());
  EXPECT_TRUE(subject.contiguous());
}

}  // namespace
}  // namespace toolway::workers::log
