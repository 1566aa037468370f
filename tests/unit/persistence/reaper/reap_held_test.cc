// What the reaper does about calls that wait for approval.
#include <gtest/gtest.h>

#include "persistence/reaper/new_retries.h"
#include "persistence/reaper/reap_round.h"
#include "proto/approvals.h"
#include "proto/codec.h"
#include "proto/publication.h"
#include "proto/subjects.h"

namespace toolway::persistence::reaper {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr WallTime kHeldSince{seconds(1'800'000'000)};
constexpr MonotonicTime kHeldAsked{seconds(1000)};
const ReapRules kHeldRules;

v1::CallRequest held_request() {
  v1::CallRequest request;
  request.set_call_id("0192a000-0000-7000-8000-000000000001");
  request.set_session_key("0123456789abcdef0123456789abcdef");
  request.set_pool("native");
  request.set_arguments("{}");
  request.set_submitted_at_us(to_unix_us(kHeldSince));
  request.mutable_limits()->set_queue_ms(1000);
  request.mutable_limits()->set_total_ms(2000);
  request.mutable_hold()->set_quorum(1);
  request.mutable_hold()->set_expires_at_us(to_unix_us(kHeldSince + hours(72)));
  return request;
}

ReapFacts held_facts(v1::CallRequest request, std::optional<v1::CallEvent> last = {}) {
  ReapFacts facts;
  facts.request = std::move(request);
  facts.published = {1, 5};
  facts.queue_state = QueueState::kGone;
  if (last) facts.last = store::RecordedEvent{{1, 40}, std::move(*last)};
  return facts;
}

v1::CallEvent held_asked() {
  return proto::approval_request(held_request(), "d", kHeldSince + seconds(1));
}

v1::CallEvent held_decided(bool approve) {
  v1::Vote vote;
  vote.set_user_id("bea");
  vote.set_approve(approve);
  return proto::approval_decided(held_request(), held_asked(), vote, kHeldSince + hours(60));
}

Decision later(const ReapFacts& facts, std::chrono::seconds time) {
  return reap(facts, kHeldSince + hours(1000), kHeldSince + time, kHeldRules);
}

/// No limit counts, nothing is too silent or too old.
TEST(ReapHeld, ACallWaitsUntilItExpires) {
  const auto facts = held_facts(held_request(), held_asked());
  for (const auto time : {seconds(10), seconds(600), seconds(hours(48)), seconds(hours(71))}) {
    const auto decision = later(facts, time);
    EXPECT_EQ(decision.kind, ReapKind::kWait) << time.count();
    EXPECT_EQ(decision.look_at, kHeldSince + hours(72));
    EXPECT_FALSE(decision.asks_queue_state);
  }
  EXPECT_EQ(limit_of(facts, kHeldRules), kHeldSince + hours(72));
  const auto expired = later(facts, hours(72));
  EXPECT_EQ(expired.kind, ReapKind::kComplete);
  EXPECT_EQ(expired.outcome, v1::OUTCOME_REJECTED);
  EXPECT_EQ(expired.code, ErrorCode::kApprovalExpired);
  EXPECT_EQ(reap(facts, kHeldSince + hours(71), kHeldSince + hours(72), kHeldRules).kind,
            ReapKind::kWait)
      << "a decision may not be recorded yet";
}

TEST(ReapHeld, WhatItsGatewayOwesIsDoneAfterAWhile) {
  EXPECT_EQ(later(held_facts(held_request()), seconds(4)).kind, ReapKind::kWait);
  EXPECT_EQ(later(held_facts(held_request()), seconds(5)).kind, ReapKind::kRequestApproval);
  EXPECT_EQ(later(held_facts(held_request()), hours(72)).code, ErrorCode::kApprovalExpired);
  const seconds said = hours(60);
  const auto approved = held_facts(held_request(), held_decided(true));
  EXPECT_EQ(later(approved, said + seconds(4)).kind, ReapKind::kWait);
  const auto release = later(approved, said + seconds(5));
  EXPECT_EQ(release.kind, ReapKind::kPublish);
  EXPECT_EQ(release.publication, proto::kReleased);
  EXPECT_EQ(release.action, "approved");
  EXPECT_EQ(later(approved, hours(100)).kind, ReapKind::kPublish) << "approved in time";
  const auto denied = held_facts(held_request(), held_decided(false));
  EXPECT_EQ(later(denied, said + seconds(4)).kind, ReapKind::kWait);
  EXPECT_EQ(later(denied, said + seconds(5)).code, ErrorCode::kApprovalDenied);
}

TEST(ReapHeld, LimitsCountFromTheRelease) {
  const auto released =
      held_facts(proto::released(held_request(), held_decided(true)), held_decided(true));
  const seconds at = hours(60);
  EXPECT_EQ(later(released, at + seconds(1)).kind, ReapKind::kWait);
  EXPECT_EQ(later(released, at + seconds(6)).code, ErrorCode::kQueueLimitExceeded);
  // Without that publication recorded, from the last event: a running call must not be timed out by
  // the time for which it was held.
  auto started = held_decided(true);
  started.set_attempt(1);
  started.set_time_us(to_unix_us(kHeldSince + at + seconds(1)));
  started.mutable_started();
  EXPECT_EQ(later(held_facts(held_request(), started), at + seconds(3)).kind, ReapKind::kWait);
  EXPECT_EQ(later(held_facts(held_request(), started), at + seconds(8)).code,
            ErrorCode::kTotalLimitExceeded);
}

TEST(ReapHeld, ACancelledOneIsCompletedAsAnyOther) {
  auto cancel = held_asked();
  cancel.set_seq(2);
  cancel.mutable_cancel_requested();
  EXPECT_EQ(later(held_facts(held_request(), cancel), minutes(1)).code, ErrorCode::kCancelled);
}

/// What is recorded is a hint: the stream may already have the decision, or the cancellation.
TEST(ReapHeld, ARoundDecidesByTheStream) {
  ReapRound round(kHeldRules, kHeldSince + hours(1000), kHeldAsked);
  auto step =
      round.look_at(held_facts(held_request(), held_asked()), kHeldAsked, kHeldSince + hours(72));
  ASSERT_EQ(step.kind, ReapStep::Kind::kReadLog);
  step = round.read(store::RecordedEvent{{0, 44}, held_decided(true)}, kHeldAsked);
  ASSERT_EQ(step.kind, ReapStep::Kind::kPublish) << "approved just before it would have expired";
  const auto publication = round.publication(held_request(), "call.native.normal.0.s");
  ASSERT_TRUE(publication);
  EXPECT_EQ(publication->message_id,
            proto::call_message_id(*CallId::parse(held_request().call_id()), proto::kReleased));
  EXPECT_EQ(publication->payload,
            proto::encode(proto::released(held_request(), held_decided(true))))
      << "the same bytes as its gateway's";
}

TEST(ReapHeld, ARoundWritesTheRequestAndTheRejection) {
  ReapRound round(kHeldRules, kHeldSince + hours(1000), kHeldAsked);
  auto step = round.look_at(held_facts(held_request()), kHeldAsked, kHeldSince + seconds(10));
  ASSERT_EQ(step.kind, ReapStep::Kind::kReadLog);
  step = round.read(std::nullopt, kHeldAsked);
  ASSERT_EQ(step.kind, ReapStep::Kind::kRequestApproval);
  const auto request = round.approval_request(held_request(), kHeldSince + seconds(10));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->expected_last, 0U);
  EXPECT_TRUE(proto::decode_event(request->payload)->has_approval_requested());
  step = round.look_at(held_facts(held_request(), held_decided(false)), kHeldAsked,
                       kHeldSince + hours(61));
  step = round.read(store::RecordedEvent{{0, 44}, held_decided(false)}, kHeldAsked);
  ASSERT_EQ(step.kind, ReapStep::Kind::kComplete);
  const auto end = round.completion(kHeldSince + hours(61));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->expected_last, 44U);
  EXPECT_EQ(proto::decode_event(end->payload)->completed().error().code(), "approval_denied");
}

TEST(ReapHeld, DecisionsAreLookedAtWhenTheyAreRecorded) {
  RetryPage page;
  page.retries.push_back({{1, 7}, held_decided(true)});
  EXPECT_EQ(page.calls(kHeldRules), std::vector<std::string>{held_request().call_id()});
}

}  // namespace
}  // namespace toolway::persistence::reaper
