// What tools ask: who may write what after it, and what an answer means to whom.
#include "tests/unit/workers/call_log_bench.h"
#include "workers/log/call_log.h"

namespace toolway::workers::log {
namespace {

using StartEvent = CallLog::StartEvent;

v1::Question question(std::string key, std::string params = "{}") {
  v1::Question made;
  made.set_key(std::move(key));
  made.set_method("elicitation/create");
  made.set_params(std::move(params));
  return made;
}

std::string answer_to(const CallLog& log, const std::string& key) {
  for (const auto& known : log.questions())
    if (known.key() == key) return known.answer();
  return "none";
}

/// A writer whose tool has asked `key`.
test::Writer asking(const v1::CallRequest& call, test::Subject& subject, const std::string& key) {
  test::Writer writer(call, "a");
  writer.log.start(7, StartEvent::kHeldBack);
  EXPECT_TRUE(writer.log.ask({question(key)}));
  writer.write_all(subject);
  return writer;
}

TEST(CallLogQuestions, AreWrittenAfterTheStartAndWhatWasReported) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kHeldBack);
  a.log.backlog().add(tools::model::LogLevel::kInfo, "hello");
  ASSERT_TRUE(a.log.ask({question("k"), question("l")}));
  a.write_all(subject);
  ASSERT_EQ(subject.events().size(), 3u);
  EXPECT_TRUE(subject.events()[0].event.has_started());
  EXPECT_TRUE(subject.events()[1].event.has_log());
  const auto& asked = subject.events()[2].event;
  EXPECT_EQ(asked.input_requested().keys_size(), 2);
  ASSERT_EQ(asked.questions_size(), 2);
  EXPECT_EQ(asked.questions(1).key(), "l");
  a.log.complete(test::done());
  a.write_all(subject);
  EXPECT_TRUE(subject.contiguous());
  EXPECT_EQ(subject.events().back().event.questions_size(), 0) << "an end needs none of them";
}

TEST(CallLogQuestions, AnAnswerComesToTheWriterThatAsked) {
  const auto call = test::request();
  test::Subject subject;
  auto a = asking(call, subject, "k");
  subject.answer("k", "{}");
  EXPECT_EQ(a.log.met(subject.last()), Conclusion::kAnswered);
  EXPECT_EQ(answer_to(a.log, "k"), "{}");
  a.log.alive();
  a.write_all(subject);
  EXPECT_EQ(subject.events().back().event.questions(0).answer(), "{}")
      << "the last event alone tells it";
  a.log.complete(test::done());
  a.write_all(subject);
  EXPECT_TRUE(subject.contiguous());
}

TEST(CallLogQuestions, AnAnswerBehindTheEventInFlightStoresThat) {
  const auto call = test::request();
  test::Subject subject;
  auto a = asking(call, subject, "k");
  a.log.alive();
  const auto publish = a.log.next(test::kWall, test::kNow);
  ASSERT_NE(subject.offer(*publish), 0u);  // stored, but its PubAck is lost
  subject.answer("k", "{}");
  EXPECT_EQ(a.log.met(subject.last()), Conclusion::kAnswered);
  EXPECT_FALSE(a.log.in_flight());
  a.log.complete(test::done());
  a.write_all(subject);
  EXPECT_TRUE(subject.contiguous());
}

TEST(CallLogQuestions, AnAnswerThatWasFasterMakesTheEventInFlightComeAfterIt) {
  const auto call = test::request();
  test::Subject subject;
  auto a = asking(call, subject, "k");
  a.log.complete(test::done());
  const auto publish = a.log.next(test::kWall, test::kNow);
  subject.answer("k", "{}");
  EXPECT_EQ(subject.offer(*publish), 0u);
  EXPECT_EQ(a.log.met(subject.last()), Conclusion::kAnswered);
  a.write_all(subject);
  EXPECT_TRUE(subject.events().back().event.has_completed());
  EXPECT_TRUE(subject.contiguous());
}

TEST(CallLogQuestions, TwoAnswersInARowAndACancellationComeAfterTheSameEvent) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  ASSERT_TRUE(a.log.ask({question("k"), question("l")}));
  a.write_all(subject);
  subject.answer("k", "1");
  subject.answer("l", "2");
  subject.cancel(call);
  EXPECT_EQ(a.log.met(subject.last()), Conclusion::kCancelled);
}

TEST(CallLogQuestions, AnotherAttemptKnowsWhatWasAnswered) {
  const auto call = test::request();
  test::Subject subject;
  auto gone = asking(call, subject, "k");
  subject.answer("k", "{}");
  test::Writer b(call, "b", DeliveryAge::kRepeated);
  EXPECT_EQ(b.log.met(subject.last()), Conclusion::kTakenOver);
  EXPECT_EQ(b.log.attempt(), 2u);
  EXPECT_EQ(answer_to(b.log, "k"), "{}");
  b.log.start(8, StartEvent::kNow);
  ASSERT_TRUE(b.log.ask({question("k")}));
  b.write_all(subject);
  EXPECT_TRUE(subject.events().back().event.has_started()) << "it is not asked again";
  // The first one wakes, and has lost the call.
  gone.log.alive();
  EXPECT_FALSE(gone.write(subject));
  EXPECT_EQ(gone.log.met(subject.last()), Conclusion::kLost);
}

TEST(CallLogQuestions, AnAnswerForAnotherAttemptDoesNotMakeItOurs) {
  const auto call = test::request();
  test::Subject subject;
  auto gone = asking(call, subject, "k");
  test::Writer b(call, "b", DeliveryAge::kRepeated);
  test::Writer c(call, "c", DeliveryAge::kRepeated);
  ASSERT_EQ(b.log.met(subject.last()), Conclusion::kTakenOver);
  ASSERT_EQ(c.log.met(subject.last()), Conclusion::kTakenOver);
  b.log.start(8, StartEvent::kNow);
  c.log.start(9, StartEvent::kNow);
  b.write_all(subject);
  EXPECT_FALSE(c.write(subject));  // its Started would have had the same number
  subject.answer("k", "{}");
  EXPECT_EQ(b.log.met(subject.last()), Conclusion::kAnswered);
  EXPECT_EQ(c.log.met(subject.last()), Conclusion::kTakenOver) << "b has the call";
  EXPECT_EQ(c.log.attempt(), 3u);
  EXPECT_EQ(gone.log.met(subject.last()), Conclusion::kLost);
}

// The simulation found it: a worker that had been cut off took the end of another's attempt for
// what came after its own question, and wrote on under that attempt.
TEST(CallLogQuestions, ACancellationOfAnotherAttemptDoesNotMakeItOurs) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer gone(call, "a");
  gone.log.start(7, StartEvent::kNow);
  gone.write_all(subject);
  ASSERT_TRUE(gone.log.ask({question("k")}));
  const auto lost = gone.log.next(test::kWall, test::kNow);
  test::Writer b(call, "b", DeliveryAge::kRepeated);
  ASSERT_EQ(b.log.met(subject.last()), Conclusion::kTakenOver);
  b.log.start(8, StartEvent::kNow);
  b.write_all(subject);  // its Started has the number that the question would have had
  subject.cancel(call);
  EXPECT_EQ(subject.offer(*lost), 0u);
  EXPECT_EQ(gone.log.met(subject.last()), Conclusion::kLost);
  EXPECT_EQ(b.log.met(subject.last()), Conclusion::kCancelled);
}

TEST(CallLogQuestions, ACancellationAfterTheRetryInFlightStoresThat) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  a.write_all(subject);
  a.log.fail_for_now({});
  const auto publish = a.log.next(test::kWall, test::kNow);
  ASSERT_NE(subject.offer(*publish), 0u);  // stored, but its PubAck is lost
  subject.cancel(call);
  EXPECT_EQ(a.log.met(subject.last()), Conclusion::kCancelled);
  a.log.complete(test::done());
  a.write_all(subject);
  EXPECT_TRUE(subject.contiguous());
}

TEST(CallLogQuestions, AnAnswerBeforeTheNextAttemptsStartIsKeptByIt) {
  const auto call = test::request();
  test::Subject subject;
  auto gone = asking(call, subject, "k");
  test::Writer b(call, "b", DeliveryAge::kRepeated);
  ASSERT_EQ(b.log.met(subject.last()), Conclusion::kTakenOver);
  b.log.start(8, StartEvent::kNow);
  const auto publish = b.log.next(test::kWall, test::kNow);
  subject.answer("k", "{}");
  EXPECT_EQ(subject.offer(*publish), 0u);
  EXPECT_EQ(b.log.met(subject.last()), Conclusion::kAnswered);
  b.write_all(subject);
  EXPECT_TRUE(subject.events().back().event.has_started());
  EXPECT_EQ(subject.events().back().event.attempt(), 2u);
  EXPECT_TRUE(subject.contiguous());
}

TEST(CallLogQuestions, ToolsThatMustNotRunTwiceEndAsUnknown) {
  const auto call = test::request();
  test::Subject subject;
  auto gone = asking(call, subject, "k");
  subject.answer("k", "{}");
  test::Writer b(call, "b", DeliveryAge::kRepeated, Rerun::kForbidden);
  EXPECT_EQ(b.log.met(subject.last()), Conclusion::kNotAgain);
}

/// A writer that has parked its call for `key`.
test::Writer parking(const v1::CallRequest& call, test::Subject& subject, const std::string& key) {
  auto writer = asking(call, subject, key);
  writer.log.park({key});
  writer.write_all(subject);
  return writer;
}

TEST(CallLogQuestions, AParkedCallNamesWhatItWaitsForAndAsksNothingAgain) {
  const auto call = test::request();
  test::Subject subject;
  parking(call, subject, "k");
  const auto& parked = subject.events().back().event;
  EXPECT_EQ(parked.input_requested().keys_size(), 0);
  ASSERT_EQ(parked.parked_for_size(), 1);
  EXPECT_EQ(parked.parked_for(0), "k");
  EXPECT_EQ(parked.parks(), 1u);
  EXPECT_FALSE(proto::is_parked_and_answered(parked));
  EXPECT_FALSE(runs_elsewhere(parked, 5, std::chrono::seconds(0)));
  subject.answer("k", "{}");
  EXPECT_TRUE(proto::is_parked_and_answered(subject.events().back().event));
}

TEST(CallLogQuestions, TheAttemptAfterAParkHasTakenNothingOverAndNothingBrokeOff) {
  for (const auto rerun : {Rerun::kAllowed, Rerun::kForbidden}) {
    const auto call = test::request();
    test::Subject subject;
    parking(call, subject, "k");
    test::Writer early(call, "early", DeliveryAge::kRepeated, rerun);
    EXPECT_EQ(early.log.met(subject.last()), Conclusion::kParked) << "no one has answered";
    subject.answer("k", "{}");
    test::Writer b(call, "b", DeliveryAge::kRepeated, rerun);
    EXPECT_EQ(b.log.met(subject.last()), Conclusion::kRetry);
    EXPECT_EQ(b.log.retry_due_us(), 0);
    EXPECT_EQ(b.log.attempt(), 2u);
    EXPECT_EQ(b.log.broken(), 0u);
    EXPECT_EQ(b.log.failures(), 0u);
    EXPECT_EQ(answer_to(b.log, "k"), "{}");
    b.log.start(8, StartEvent::kNow);
    b.write_all(subject);
    EXPECT_FALSE(proto::is_parked(subject.events().back().event));
    EXPECT_EQ(subject.events().back().event.parks(), 1u);
    EXPECT_TRUE(subject.contiguous());
  }
}

TEST(CallLogQuestions, AnAnswerThatComesFirstKeepsTheCallFromBeingParked) {
  const auto call = test::request();
  test::Subject subject;
  auto a = asking(call, subject, "k");
  a.log.park({"k"});
  const auto publish = a.log.next(test::kWall, test::kNow);
  subject.answer("k", "{}");
  EXPECT_EQ(subject.offer(*publish), 0u);
  EXPECT_EQ(a.log.met(subject.last()), Conclusion::kAnswered);
  EXPECT_FALSE(a.log.next(test::kWall, test::kNow)) << "it runs on";
  a.log.park({"k"});
  EXPECT_FALSE(a.log.next(test::kWall, test::kNow)) << "it is answered";
}

TEST(CallLogQuestions, WhoParkedItUnseenLeavesItToTheAttemptThatFollowsTheAnswer) {
  const auto call = test::request();
  test::Subject subject;
  auto a = asking(call, subject, "k");
  a.log.park({"k"});
  ASSERT_NE(subject.offer(*a.log.next(test::kWall, test::kNow)), 0u);  // its PubAck is lost
  subject.answer("k", "{}");
  EXPECT_EQ(a.log.met(subject.last()), Conclusion::kParked);
}

TEST(CallLogQuestions, WhoLearnsLateOfAParkAsksNothingThatWasAsked) {
  const auto call = test::request();
  test::Subject subject;
  parking(call, subject, "k");
  subject.answer("k", "{}");
  // As when the durable was made again: the message seems to come for the first time.
  test::Writer b(call, "b");
  b.log.start(8, StartEvent::kNow);
  ASSERT_TRUE(b.log.ask({question("k"), question("l")}));
  EXPECT_FALSE(b.write(subject));
  EXPECT_EQ(b.log.met(subject.last()), Conclusion::kRetry);
  b.write_all(subject);
  const auto& asked = subject.events().back().event;
  ASSERT_EQ(asked.input_requested().keys_size(), 1);
  EXPECT_EQ(asked.input_requested().keys(0), "l");
  EXPECT_EQ(answer_to(b.log, "k"), "{}");
  EXPECT_TRUE(subject.contiguous());
}

TEST(CallLogQuestions, MoreAnswersReachTheAttemptThatFollowsAPark) {
  const auto call = test::request();
  test::Subject subject;
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  ASSERT_TRUE(a.log.ask({question("k"), question("l")}));
  a.write_all(subject);
  a.log.park({"k"});
  a.write_all(subject);
  subject.answer("k", "1");
  test::Writer b(call, "b", DeliveryAge::kRepeated);
  EXPECT_EQ(b.log.met(subject.last()), Conclusion::kRetry);
  b.log.start(8, StartEvent::kHeldBack);
  subject.answer("l", "2");
  EXPECT_EQ(b.log.met(subject.last()), Conclusion::kAnswered);
  EXPECT_EQ(b.log.attempt(), 2u);
  EXPECT_EQ(answer_to(b.log, "l"), "2");
}

TEST(CallLogQuestions, AreFewAndSmallAndEachHasItsKey) {
  const auto call = test::request();
  test::Writer a(call, "a");
  a.log.start(7, StartEvent::kNow);
  ASSERT_TRUE(a.log.ask({question("k", R"({"a":1})")}));
  EXPECT_TRUE(a.log.ask({question("k", R"({"a":1})")})) << "asked already";
  EXPECT_FALSE(a.log.ask({question("k", R"({"a":2})")}));
  EXPECT_FALSE(a.log.ask({question("l"), question("l")}));
  EXPECT_FALSE(a.log.ask({question("large", std::string(300'000, 'x'))}));
  for (int i = 0; i < 99; ++i) EXPECT_TRUE(a.log.ask({question(std::to_string(i))})) << i;
  EXPECT_FALSE(a.log.ask({question("one more")}));
}

}  // namespace
}  // namespace toolway::workers::log
