#include "persistence/reaper/reap_round.h"

#include <gtest/gtest.h>

#include "proto/codec.h"
#include "proto/publication.h"
#include "proto/subjects.h"

namespace toolway::persistence::reaper {
namespace {

using Kind = ReapStep::Kind;
using std::chrono::hours;
using std::chrono::seconds;

constexpr MonotonicTime kAsked{seconds(1000)};
constexpr WallTime kBegun{seconds(1'800'000'000)};
const std::string kCall = "0192a000-0000-7000-8000-000000000001";
const std::string kSession = "0123456789abcdef0123456789abcdef";

ReapFacts a_call(unsigned queue_s = 0) {
  ReapFacts facts;
  facts.request.set_call_id(kCall);
  facts.request.set_session_key(kSession);
  facts.request.set_submitted_at_us(to_unix_us(kBegun));
  facts.request.mutable_limits()->set_queue_ms(queue_s * 1000);
  facts.published = {1, 5};
  return facts;
}

store::RecordedEvent an_event(unsigned attempt, unsigned seq, seconds at,
                              std::uint64_t sequence = 40) {
  store::RecordedEvent last{{1, sequence}, {}};
  last.event.set_call_id(kCall);
  last.event.set_attempt(attempt);
  last.event.set_seq(seq);
  last.event.set_time_us(to_unix_us(kBegun + at));
  return last;
}

store::RecordedEvent alive(unsigned seq, seconds at) {
  auto last = an_event(1, seq, at);
  last.event.mutable_alive();
  return last;
}

store::RecordedEvent completed(unsigned seq) {
  auto last = an_event(1, seq, seconds(1));
  last.event.mutable_completed();
  return last;
}

class ReapRoundTest : public testing::Test {
 protected:
  ReapStep look_at(ReapFacts facts, seconds after) {
    return round_.look_at(std::move(facts), kAsked, kBegun + after);
  }

  const ReapRules rules_;
  ReapRound round_{rules_, kBegun + hours(100), kAsked};
};

TEST_F(ReapRoundTest, AsksNothingAboutACallThatCanWait) {
  const auto step = look_at(a_call(), seconds(1));
  EXPECT_EQ(step.kind, Kind::kWatch);
  EXPECT_EQ(step.look_at, kBegun + rules_.silence);
  auto ended = a_call();
  ended.last = completed(2);
  EXPECT_EQ(look_at(ended, hours(1)).kind, Kind::kForget);
}

TEST_F(ReapRoundTest, AsksForItsPlaceOnlyWhenThatMatters) {
  EXPECT_EQ(look_at(a_call(), seconds(61)).kind, Kind::kAskQueueState);
  EXPECT_EQ(round_.queue_state(QueueState::kQueued).kind, Kind::kWatch);
  EXPECT_EQ(look_at(a_call(), seconds(61)).kind, Kind::kAskQueueState);
  EXPECT_EQ(round_.queue_state(QueueState::kUnknown).kind, Kind::kWatch);
  EXPECT_EQ(look_at(a_call(), seconds(61)).kind, Kind::kAskQueueState);
  EXPECT_EQ(round_.queue_state(QueueState::kTaken).kind, Kind::kReadLog);
}

TEST_F(ReapRoundTest, PublishesAgainWhatNoWorkerHas) {
  look_at(a_call(), seconds(61));
  round_.queue_state(QueueState::kGone);
  const auto step = round_.read(std::nullopt, kAsked);
  ASSERT_EQ(step.kind, Kind::kPublish);
  EXPECT_EQ(step.decision.action, "silent");
  EXPECT_EQ(step.look_at, kBegun + seconds(61) + rules_.look_again);
  const auto publication = round_.publication(a_call().request, "call.native.normal.0.s");
  ASSERT_TRUE(publication);
  EXPECT_EQ(publication->subject, "call.native.normal.0.s");
  EXPECT_EQ(publication->message_id,
            proto::call_message_id(*CallId::parse(kCall), proto::kBrokenOff));
  EXPECT_EQ(proto::decode_call(publication->payload)->publication(), proto::kBrokenOff);
}

TEST_F(ReapRoundTest, CompletesAfterTheLastEventOfTheStream) {
  auto facts = a_call(1);
  const auto step = look_at(facts, seconds(10));
  EXPECT_EQ(step.kind, Kind::kReadLog);
  ASSERT_EQ(round_.read(an_event(0, 1, seconds(1), 44), kAsked).kind, Kind::kComplete);
  const auto completion = round_.completion(kBegun + seconds(10));
  ASSERT_TRUE(completion);
  EXPECT_EQ(completion->subject,
            proto::event_subject(*SessionKey::parse(kSession), *CallId::parse(kCall)));
  EXPECT_EQ(completion->expected_last, 44U);
  EXPECT_EQ(proto::decode_event(completion->payload)->seq(), 2U);
}

TEST_F(ReapRoundTest, CompletesAfterWhatIsRecordedWhenTheStreamHasLostIt) {
  auto facts = a_call(1);
  facts.last = an_event(0, 3, seconds(1));
  look_at(facts, seconds(10));
  ASSERT_EQ(round_.read(std::nullopt, kAsked).kind, Kind::kComplete);
  const auto completion = round_.completion(kBegun + seconds(10));
  ASSERT_TRUE(completion);
  EXPECT_EQ(completion->expected_last, 0U);
  EXPECT_EQ(proto::decode_event(completion->payload)->seq(), 4U);
}

TEST_F(ReapRoundTest, TheStreamKnowsBetterThanTheRecord) {
  EXPECT_EQ(look_at(a_call(1), seconds(10)).kind, Kind::kReadLog);
  EXPECT_EQ(round_.read(completed(2), kAsked).kind, Kind::kForget);
  EXPECT_EQ(look_at(a_call(1), seconds(10)).kind, Kind::kReadLog);
  EXPECT_EQ(round_.read(alive(2, seconds(9)), kAsked).kind, Kind::kWatch);
}

TEST_F(ReapRoundTest, WhatOneCallWasFoundToBeIsNotHeldAgainstTheNext) {
  look_at(a_call(1), seconds(10));
  ASSERT_EQ(round_.read(an_event(0, 1, seconds(1), 44), kAsked).kind, Kind::kComplete);
  EXPECT_EQ(look_at(a_call(1), seconds(10)).kind, Kind::kReadLog);
  ASSERT_EQ(round_.read(std::nullopt, kAsked).kind, Kind::kComplete);
  EXPECT_EQ(round_.completion(kBegun)->expected_last, 0U);
}

TEST_F(ReapRoundTest, DoesNotActOnWhatPostgresSaidLongAgo) {
  const auto late = kAsked + ReapRound::kFactsHold;
  EXPECT_EQ(round_.look_at(a_call(1), late, kBegun + seconds(10)).kind, Kind::kAskPostgres);
  EXPECT_EQ(look_at(a_call(1), seconds(10)).kind, Kind::kReadLog);
  EXPECT_EQ(round_.read(std::nullopt, late).kind, Kind::kAskPostgres);
}

}  // namespace
}  // namespace toolway::persistence::reaper
