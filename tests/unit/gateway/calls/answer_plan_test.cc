#include "gateway/calls/answer_plan.h"

#include <gtest/gtest.h>

#include "proto/codec.h"
#include "proto/questions.h"

namespace toolway::gateway::calls {
namespace {

using Kind = LogEditStep::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Unasked = ToAnswer::Unasked;

const std::string kSession = "0123456789abcdef0123456789abcdef";
const std::string kCall = "0192a000-0000-7000-8000-000000000001";
const LogEdit::Now kNow{MonotonicTime(seconds(100)), from_unix_us(5'000'000)};

const Json kForm{{"message", "?"},
                 {"requestedSchema",
                  {{"type", "object"},
                   {"properties", {{"name", {{"type", "string"}, {"maxLength", 5}}}}},
                   {"required", {"name"}}}}};
const Json kGood{{"action", "accept"}, {"content", {{"name", "Ann"}}}};

KnownCall a_call() {
  persistence::store::RecordedCall call;
  call.call_id = kCall;
  call.session_key = kSession;
  call.attempt = 1;
  return KnownCall(std::move(call));
}

/// A call that asks `a` and `b`.
v1::CallEvent asking() {
  v1::CallEvent event;
  event.set_call_id(kCall);
  event.set_session_key(kSession);
  event.set_attempt(2);
  event.set_seq(7);
  event.set_worker_id("w");
  event.set_call_sequence(31);
  event.set_failures(1);
  for (const auto* key : {"a", "b"}) {
    event.mutable_input_requested()->add_keys(key);
    auto& question = *event.add_questions();
    question.set_key(key);
    question.set_method("elicitation/create");
    question.set_params(to_text(kForm));
  }
  return event;
}

bus::StoredMessage stored(const v1::CallEvent& event, std::uint64_t sequence = 40) {
  return {.subject = {}, .payload = proto::encode(event), .sequence = sequence, .stored_at = {}};
}

/// What follows when `event` is the last.
LogEditStep step_of(LogEdit& edit, const v1::CallEvent& event) {
  EXPECT_EQ(edit.begin(kNow).kind, Kind::kReadLog);
  return edit.read(stored(event), kNow);
}

LogEdit answers(Answers given, Unasked unasked = Unasked::kRefused) {
  return answering(a_call(), ToAnswer(std::move(given), unasked, "ann"),
                   kNow.monotonic + seconds(1));
}

std::optional<Error> refusal(const v1::CallEvent& last, Answers given) {
  auto edit = answers(std::move(given));
  return step_of(edit, last).error;
}

TEST(AnswerPlan, WritesWhatWasAnsweredAfterTheLastEventAndTellsTheWorker) {
  auto edit = answers({{"a", kGood}});
  auto step = step_of(edit, asking());
  ASSERT_EQ(step.kind, Kind::kPublish);
  EXPECT_EQ(step.publication.expected_last, 40u);
  auto event = *proto::decode_event(step.publication.payload);
  EXPECT_EQ(event.seq(), 8u);
  EXPECT_EQ(event.attempt(), 2u);
  EXPECT_EQ(event.worker_id(), "w");
  EXPECT_EQ(event.call_sequence(), 31u);
  EXPECT_EQ(event.failures(), 1u);
  EXPECT_EQ(event.input_provided().follows(), 7u);
  ASSERT_EQ(event.input_provided().keys_size(), 1);
  EXPECT_EQ(event.questions(0).answer(), to_text(kGood));
  EXPECT_EQ(event.questions(0).by(), "ann");
  EXPECT_EQ(event.questions(0).params(), "") << "it is not needed any more";
  EXPECT_EQ(event.questions(1).answer(), "");
  EXPECT_EQ(edit.published(bus::PubAck{.sequence = 41}, kNow).kind, Kind::kReadLog);
  step = edit.read(stored(event, 41), kNow);
  EXPECT_EQ(step.kind, Kind::kTell);
  EXPECT_EQ(step.worker, "w");
  v1::ControlAnswer held;
  held.set_held(true);
  step = edit.told(held.SerializeAsString(), kNow);
  ASSERT_EQ(step.kind, Kind::kDone);
  EXPECT_EQ(waiting_questions(step.last).size(), 1U);

  // The next answer comes after the same event of the worker.
  auto next = answers({{"b", kGood}});
  step = step_of(next, event);
  ASSERT_EQ(step.kind, Kind::kPublish);
  event = *proto::decode_event(step.publication.payload);
  EXPECT_EQ(event.seq(), 9u);
  EXPECT_EQ(event.input_provided().follows(), 7u);
}

TEST(AnswerPlan, AParkedCallHasNoWorkerToTell) {
  auto last = asking();
  last.add_parked_for("a");
  last.add_parked_for("b");
  last.set_parks(1);
  auto edit = answers({{"a", kGood}});
  auto step = step_of(edit, last);
  ASSERT_EQ(step.kind, Kind::kPublish);
  auto event = *proto::decode_event(step.publication.payload);
  EXPECT_EQ(edit.published(bus::PubAck{.sequence = 41}, kNow).kind, Kind::kReadLog);
  step = edit.read(stored(event, 41), kNow);
  ASSERT_EQ(step.kind, Kind::kDone);
  EXPECT_TRUE(proto::is_parked(*step.last));
  EXPECT_FALSE(proto::is_parked_and_answered(*step.last)) << "b waits";

  auto second = answers({{"b", kGood}});
  step = step_of(second, event);
  ASSERT_EQ(step.kind, Kind::kPublish);
  event = *proto::decode_event(step.publication.payload);
  EXPECT_EQ(event.parks(), 1u);
  EXPECT_EQ(second.published(bus::PubAck{.sequence = 42}, kNow).kind, Kind::kReadLog);
  step = second.read(stored(event, 42), kNow);
  ASSERT_EQ(step.kind, Kind::kDone);
  EXPECT_TRUE(proto::is_parked_and_answered(*step.last));
}

TEST(AnswerPlan, AnAnswerIsNeverChanged) {
  auto last = asking();
  last.mutable_questions(0)->set_answer(to_text(kGood));
  EXPECT_EQ(refusal(last, {{"a", {{"action", "decline"}}}})->code, ErrorCode::kNotAsked);
  EXPECT_FALSE(refusal(last, {{"a", kGood}})) << "the same again";
  auto edit = answers({{"a", {{"action", "decline"}}}, {"x", kGood}}, Unasked::kLeftOut);
  const auto step = step_of(edit, last);
  EXPECT_EQ(step.kind, Kind::kDone);
  EXPECT_EQ(waiting_questions(step.last).size(), 1U);
}

TEST(AnswerPlan, AnAnswerThatAnotherOneWasFasterThanIsNotTakenForWritten) {
  auto other = asking();
  other.mutable_input_provided()->add_keys("a");
  other.mutable_questions(0)->set_answer(to_text(Json{{"action", "decline"}}));
  for (const auto unasked : {Unasked::kRefused, Unasked::kLeftOut}) {
    auto edit = answers({{"a", kGood}}, unasked);
    ASSERT_EQ(step_of(edit, asking()).kind, Kind::kPublish);
    EXPECT_EQ(edit.published(fail(ErrorCode::kWrongLastSequence, "41"), kNow).kind, Kind::kReadLog);
    const auto step = edit.read(stored(other, 41), kNow);
    if (unasked == Unasked::kLeftOut) {
      EXPECT_EQ(step.kind, Kind::kDone);
    } else {
      EXPECT_EQ(step.kind, Kind::kFailed);
      EXPECT_EQ(step.error->code, ErrorCode::kNotAsked);
    }
  }
}

TEST(AnswerPlan, OfACallThatHasEndedItSaysWhatMayHaveBeenWritten) {
  auto ended = asking();
  ended.clear_questions();
  ended.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
  const auto after = [&](Result<bus::PubAck> stored_as) {
    auto edit = answers({{"a", kGood}});
    EXPECT_EQ(step_of(edit, asking()).kind, Kind::kPublish);
    auto step = edit.published(std::move(stored_as), kNow);
    if (step.kind == Kind::kPause) step = edit.resumed(kNow);
    EXPECT_EQ(step.kind, Kind::kReadLog);
    return edit.read(stored(ended, 42), kNow);
  };
  EXPECT_EQ(after(bus::PubAck{.sequence = 41}).kind, Kind::kDone);
  EXPECT_EQ(after(fail(ErrorCode::kTimeout, "no answer")).kind, Kind::kDone) << "perhaps";
  const auto surely_not = after(fail(ErrorCode::kWrongLastSequence, "41"));
  ASSERT_EQ(surely_not.kind, Kind::kFailed) << "another answer was first, and the tool has it";
  EXPECT_EQ(surely_not.error->code, ErrorCode::kNotAsked);
}

TEST(AnswerPlan, RefusesWhatIsNotAsked) {
  EXPECT_EQ(refusal(asking(), {{"x", kGood}})->code, ErrorCode::kNotAsked);
  auto ended = asking();
  ended.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(refusal(ended, {{"a", kGood}})->code, ErrorCode::kNotAsked);
  auto cancelled = asking();
  cancelled.mutable_cancel_requested();
  EXPECT_EQ(refusal(cancelled, {{"a", kGood}})->code, ErrorCode::kNotAsked);
  auto between = asking();
  between.mutable_retry_at();
  EXPECT_EQ(refusal(between, {{"a", kGood}})->code, ErrorCode::kNotAsked);
  auto edit = answers({{"a", kGood}});
  edit.begin(kNow);
  EXPECT_EQ(edit.looked_up(v1::LookupAnswer(), kNow).error->code, ErrorCode::kNotAsked);
}

TEST(AnswerPlan, ChecksAnAnswerAgainstItsQuestion) {
  const std::vector<Json> wrong{5,
                                Json::object(),
                                {{"action", 5}},
                                {{"action", "yes"}},
                                {{"action", "accept"}},
                                {{"action", "accept"}, {"content", {"name", "Ann"}}},
                                {{"action", "accept"}, {"content", Json::object()}},
                                {{"action", "accept"}, {"content", {{"name", "too long"}}}}};
  for (const auto& answer : wrong)
    EXPECT_EQ(refusal(asking(), {{"a", answer}})->code, ErrorCode::kInvalidRequest) << answer;
  v1::Question question;
  question.set_method(std::string(proto::kElicit));
  question.set_params(R"({"mode":"url","message":"?","url":"https://example.com"})");
  EXPECT_FALSE(wrong_answer(question, {{"action", "accept"}}));
  question.set_method(std::string(proto::kSample));
  EXPECT_TRUE(wrong_answer(question, {{"role", "assistant"}}));
  EXPECT_FALSE(wrong_answer(question, {{"role", "assistant"}, {"content", Json::object()}}));
  EXPECT_FALSE(wrong_answer(question, {{"error", {{"message", "no"}}}}));
  question.set_method(std::string(proto::kListRoots));
  EXPECT_TRUE(wrong_answer(question, {{"roots", {{{"name", "x"}}}}}));
  EXPECT_FALSE(wrong_answer(question, {{"roots", {{{"uri", "file:///x"}}}}}));
}

TEST(AnswerPlan, BoundsWhatACallHasOfThem) {
  auto last = asking();
  for (int i = 0; i < 4; ++i) {
    auto& question = *last.add_questions();
    question.set_key("s" + std::to_string(i));
    question.set_method(std::string(proto::kSample));
    question.set_params("{}");
  }
  const auto sample = [](std::size_t bytes) -> Json {
    return {{"role", "assistant"}, {"content", std::string(bytes, 'x')}};
  };
  EXPECT_EQ(refusal(last, {{"s0", sample(70'000)}})->code, ErrorCode::kPayloadTooLarge);
  EXPECT_FALSE(refusal(last, {{"s0", sample(60'000)}}));
  Answers all;
  for (int i = 0; i < 4; ++i) all.emplace("s" + std::to_string(i), sample(65'500));
  EXPECT_EQ(refusal(last, all)->code, ErrorCode::kPayloadTooLarge);
}

}  // namespace
}  // namespace toolway::gateway::calls
