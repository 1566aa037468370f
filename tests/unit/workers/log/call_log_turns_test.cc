// What turns a call's log: cancellations, failed attempts, events that have left the stream.
#include "tests/unit/workers/call_log_bench.h"

namespace toolway::workers::log {
namespace {

using StartEvent = CallLog::StartEvent;

v1::RetryAt retry_at(std::int64_t us) {
  v1::RetryAt retry;
  retry.set_at_us(us);
  retry.mutable_error()->set_code("busy");
  retry.set_attempts_left(2);
  return retry;
}

TEST(CallLogCancel, FindsOutThatItsStartedIsStoredBeforeTheCancellation) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  ASSERT_NE(subject.offer(*a.log.next(test::kWall, test::kNow)),
            0u);  // its PubAck is lost
  subject.cancel(call);
  EXPECT_EQ(subject.offer(a.log.again()), 0u);
  ASSERT_EQ(a.log.met(subject.last()), Conclusion::kCancelled);
  EXPECT_TRUE(a.log.start_stored());
  a.log.complete(cancelled());
  a.write_all(subject);
  ASSERT_EQ(subject.events().size(), 3u);
  const auto& last = subject.events().back().event;
  EXPECT_EQ(last.completed().started_at_us(), 7);
  EXPECT_FALSE(last.completed().merged_start());
  EXPECT_TRUE(subject.contiguous());
}

TEST(CallLogCancel, AReportThatIsStoredBeforeTheCancellationIsNotSaidTwice) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  a.write_all(subject);
  a.log.backlog().add(tools::model::ProgressReport{.progress = 3});
  ASSERT_NE(subject.offer(*a.log.next(test::kWall, test::kNow)), 0u);
  subject.cancel(call);
  ASSERT_EQ(a.log.met(subject.last()), Conclusion::kCancelled);
  a.log.complete(cancelled());
  a.write_all(subject);
  EXPECT_EQ(subject.events().size(), 4u);
  EXPECT_TRUE(subject.contiguous());
}

TEST(CallLogCancel, AMergedCompletionAfterItIsChainedToIt) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kHeldBack);
  a.log.complete(test::done());
  ASSERT_TRUE(a.log.next(test::kWall, test::kNow));
  subject.cancel(call);
  EXPECT_EQ(subject.offer(a.log.again()), 0u);
  ASSERT_EQ(a.log.met(subject.last()), Conclusion::kCancelled);
  EXPECT_FALSE(a.log.start_stored());
  a.log.never_started();
  a.log.replace_completion(cancelled());
  a.write_all(subject);
  ASSERT_EQ(subject.events().size(), 2u);
  EXPECT_EQ(subject.events().back().event.seq(), 2u);
  EXPECT_TRUE(subject.contiguous());
}

TEST(CallLogCancel, AfterAnotherAttemptItIsNotOurs) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer paused(call, "a");
  paused.log.start(7, StartEvent::kNow);
  paused.write_all(subject);
  test::Writer b(call, "b", DeliveryAge::kRepeated);
  ASSERT_EQ(b.log.met(subject.last()), Conclusion::kTakenOver);
  b.log.start(8, StartEvent::kNow);
  b.log.backlog().add(tools::model::LogLevel::kInfo, "here");
  b.write_all(subject);
  subject.cancel(call);

  paused.log.alive();
  EXPECT_FALSE(paused.write(subject));
  EXPECT_EQ(paused.log.met(subject.last()), Conclusion::kLost);
  EXPECT_EQ(b.log.met(subject.last()), Conclusion::kCancelled);
}

TEST(CallLogCancel, OfACallWhoseAttemptIsLostMeansNoOtherAttempt) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  a.write_all(subject);
  subject.cancel(call);
  test::Writer b(call, "b", DeliveryAge::kRepeated);
  ASSERT_EQ(b.log.met(subject.last()), Conclusion::kCancelled);
  b.log.complete(cancelled());
  b.write_all(subject);
  EXPECT_EQ(subject.events().back().event.attempt(), 1u);
  EXPECT_TRUE(subject.contiguous());
}

TEST(CallLogRetry, IsTheLastEventOfItsAttemptAndTheNextOneFollowsIt) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a", DeliveryAge::kFirst, Rerun::kForbidden);
  a.log.start(7, StartEvent::kHeldBack);
  a.log.backlog().add(tools::model::LogLevel::kInfo, "hello");
  a.log.fail_for_now(retry_at(500));
  a.write_all(subject);
  EXPECT_TRUE(a.log.finished());
  EXPECT_EQ(a.log.retry_due_us(), 500);
  ASSERT_EQ(subject.events().size(), 3u);
  EXPECT_TRUE(subject.events()[0].event.has_started());
  EXPECT_EQ(subject.events()[2].event.retry_at().error().code(), "busy");
  EXPECT_EQ(subject.events()[2].event.failures(), 1u);

  test::Writer b(call, "b", DeliveryAge::kRepeated, Rerun::kForbidden);
  ASSERT_EQ(b.log.met(subject.last()), Conclusion::kRetry);
  EXPECT_EQ(b.log.retry_due_us(), 500);
  EXPECT_EQ(b.log.attempt(), 2u);
  EXPECT_EQ(b.log.failures(), 1u);
  EXPECT_EQ(b.log.broken(), 0u);
  b.log.start(8, StartEvent::kHeldBack);
  b.log.complete(test::done());
  b.write_all(subject);
  const auto& last = subject.events().back().event;
  EXPECT_EQ(last.attempt(), 2u);
  EXPECT_EQ(last.failures(), 1u);
  EXPECT_TRUE(last.completed().merged_start());
  EXPECT_TRUE(subject.contiguous());
}

TEST(CallLogRetry, OneThatIsStoredTwiceIsOne) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  a.log.fail_for_now(retry_at(500));
  ASSERT_TRUE(a.write(subject));
  ASSERT_NE(subject.offer(*a.log.next(test::kWall, test::kNow)),
            0u);  // its PubAck is lost
  EXPECT_EQ(subject.offer(a.log.again()), 0u);
  EXPECT_EQ(a.log.met(subject.last()), Conclusion::kStored);
  EXPECT_EQ(a.log.acked(subject.sequence()), CallLog::Kind::kRetry);
}

TEST(CallLogRetry, ACancellationTakesItsPlaceOrFollowsIt) {
  for (const bool stored : {false, true}) {
    const auto call = test::request();
    test::Subject subject;
    test::Writer a(call, "a");
    a.log.start(7, StartEvent::kNow);
    a.log.fail_for_now(retry_at(500));
    ASSERT_TRUE(a.write(subject));
    const auto publish = a.log.next(test::kWall, test::kNow);
    ASSERT_TRUE(publish);
    if (stored) {
      ASSERT_NE(subject.offer(*publish), 0u);
    }
    subject.cancel(call);
    ASSERT_EQ(a.log.met(subject.last()), Conclusion::kCancelled);
    EXPECT_FALSE(a.log.ending());
    a.log.complete(cancelled());
    a.write_all(subject);
    EXPECT_EQ(subject.events().size(), stored ? 4u : 3u);
    EXPECT_EQ(subject.events().back().event.failures(), stored ? 1u : 0u);
    EXPECT_TRUE(subject.contiguous());
  }
}

TEST(CallLogRetry, AWriterWhoseAttemptHasEndedDoesNotFollowIt) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer paused(call, "a");
  paused.log.start(7, StartEvent::kNow);
  paused.write_all(subject);
  test::Writer b(call, "b", DeliveryAge::kRepeated);
  ASSERT_EQ(b.log.met(subject.last()), Conclusion::kTakenOver);
  b.log.start(8, StartEvent::kNow);
  b.log.fail_for_now(retry_at(500));
  b.write_all(subject);
  paused.log.complete(test::done());
  EXPECT_FALSE(paused.write(subject));
  EXPECT_EQ(paused.log.met(subject.last()), Conclusion::kLost);
}

TEST(CallLogRetry, CountsAttemptsThatBrokeOffApartFromThoseThatFailed) {
  const auto call = test::request();
  test::Subject subject;
  for (int i = 0; i < 3; ++i) {
    test::Writer writer(call, "w", DeliveryAge::kRepeated);
    EXPECT_EQ(writer.log.met(subject.last()), i == 0 ? Conclusion::kGoOn : Conclusion::kTakenOver);
    EXPECT_EQ(writer.log.broken(), static_cast<std::uint32_t>(i));
    writer.log.start(7, StartEvent::kNow);
    ASSERT_TRUE(writer.write(subject));
  }
  test::Writer fourth(call, "w", DeliveryAge::kRepeated);
  ASSERT_EQ(fourth.log.met(subject.last()), Conclusion::kTakenOver);
  fourth.log.start(7, StartEvent::kNow);
  fourth.log.fail_for_now(retry_at(1));
  fourth.write_all(subject);
  test::Writer fifth(call, "w", DeliveryAge::kRepeated);
  ASSERT_EQ(fifth.log.met(subject.last()), Conclusion::kRetry);
  EXPECT_EQ(fifth.log.attempt(), 5u);
  EXPECT_EQ(fifth.log.failures(), 1u);
  EXPECT_EQ(fifth.log.broken(), 3u);
}

/// The last event as Postgres has it; the subject is empty by now.
LastEvent recorded(const test::Subject& subject) {
  return {subject.last()->payload, 0, subject.last()->event};
}

TEST(CallLogRecorded, ContinuesAfterWhatWasRecordedOnAnEmptySubject) {
  const auto call = test::request();
  test::Subject before;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  a.write_all(before);
  test::Writer b(call, "b");  // a first delivery, as far as the server knows
  ASSERT_EQ(b.log.met(std::nullopt), Conclusion::kGoOn);
  ASSERT_EQ(b.log.met_recorded(recorded(before)), Conclusion::kTakenOver);
  b.log.start(8, StartEvent::kNow);
  const auto publish = b.log.next(test::kWall, test::kNow);
  ASSERT_TRUE(publish);
  EXPECT_EQ(publish->expected_last, 0u);
  const auto event = proto::decode_event(publish->payload);
  EXPECT_EQ(event->seq(), 2u);
  EXPECT_EQ(event->attempt(), 2u);
}

TEST(CallLogRecorded, WhatMustNotRunTwiceIsUnknownAndWhatEndedHasEnded) {
  const auto call = test::request();
  test::Subject before;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  a.write_all(before);
  test::Writer b(call, "b", DeliveryAge::kFirst, Rerun::kForbidden);
  EXPECT_EQ(b.log.met_recorded(recorded(before)), Conclusion::kNotAgain);
  a.log.complete(test::done());
  a.write_all(before);
  test::Writer c(call, "c", DeliveryAge::kFirst, Rerun::kForbidden);
  EXPECT_EQ(c.log.met_recorded(recorded(before)), Conclusion::kFinished);
}

TEST(CallLogRecorded, AWriterWhoseEventsHaveLeftTheStreamContinues) {
  const auto call = test::request();
  test::Subject before;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  a.write_all(before);
  const auto started = recorded(before);
  a.log.complete(test::done());
  ASSERT_TRUE(a.log.next(test::kWall, test::kNow));
  ASSERT_EQ(a.log.met(std::nullopt), Conclusion::kVanished);
  ASSERT_EQ(a.log.met_recorded(started), Conclusion::kAgain);
  EXPECT_EQ(a.log.again().expected_last, 0u);
  test::Subject after;
  ASSERT_NE(after.offer(a.log.again()), 0u);
  EXPECT_EQ(after.events().back().event.seq(), 2u);
}

TEST(CallLogRecorded, AWriterIsNotToldByWhatIsNotAllRecorded) {
  const auto call = test::request();
  test::Subject before;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  a.write_all(before);
  const auto started = recorded(before);
  a.log.alive();
  a.write_all(before);
  a.log.complete(test::done());
  ASSERT_TRUE(a.log.next(test::kWall, test::kNow));
  EXPECT_EQ(a.log.met_recorded(started), Conclusion::kVanished);
}

TEST(CallLogRecorded, AStreamThatHoldsLessThanItHadIsNoticed) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  a.write_all(subject);
  const auto lost_tail = subject.last();
  a.log.alive();
  a.write_all(subject);
  a.log.complete(test::done());
  ASSERT_TRUE(a.log.next(test::kWall, test::kNow));
  EXPECT_EQ(a.log.met(lost_tail), Conclusion::kBehind);
}

}  // namespace
}  // namespace toolway::workers::log
