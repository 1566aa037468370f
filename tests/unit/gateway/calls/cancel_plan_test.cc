#include "gateway/calls/cancel_plan.h"

#include <gtest/gtest.h>

#include "proto/audit.h"
namespace toolway::gateway::calls {
namespace {

persistence::store::RecordedCall a_call() {
  persistence::store::RecordedCall call;
  call.call_id = "c";
  call.tenant_id = "default";
  call.user_id = "ann";
  call.session_key = "k";
  call.session_id = "s";
  call.labels.set_tool("hangs");
  call.submitted_at = from_unix_us(5);
  v1::Admission admission;
  admission.set_policy(3);
  call.admission = admission.SerializeAsString();
  return call;
}

v1::CallEvent last_event(unsigned attempt, unsigned seq, std::string worker) {
  v1::CallEvent event;
  event.set_attempt(attempt);
  event.set_seq(seq);
  event.set_worker_id(std::move(worker));
  return event;
}

TEST(CancelPlan, WritesOneRequestAndNeverTwo) {
  EXPECT_EQ(plan_cancel(std::nullopt), CancelPlan::kRequest);
  auto started = last_event(1, 1, "w");
  started.mutable_started();
  EXPECT_EQ(plan_cancel(started), CancelPlan::kRequest);
  const auto request = cancel_request(a_call(), started, "why", from_unix_us(9));
  EXPECT_EQ(plan_cancel(request), CancelPlan::kTell);
  EXPECT_EQ(request.seq(), 2U);
  EXPECT_EQ(request.attempt(), 1U);
  EXPECT_EQ(request.worker_id(), "w");
  EXPECT_EQ(request.cancel_requested().reason(), "why");
}

TEST(CancelPlan, SaysThatTheCallWaitedForApproval) {
  const auto said = [](const persistence::store::RecordedCall& call,
                       const std::optional<v1::CallEvent>& last) {
    return cancel_request(call, last, "", from_unix_us(9)).cancel_requested().held();
  };
  auto call = a_call();
  EXPECT_FALSE(said(call, std::nullopt));
  call.held = true;
  EXPECT_TRUE(said(call, std::nullopt)) << "its log has no event yet";
  auto last = last_event(0, 1, "");
  last.mutable_approval_requested();
  EXPECT_TRUE(said(a_call(), last));
  last.mutable_approval_decided()->add_votes()->set_approve(true);
  EXPECT_TRUE(said(call, last)) << "another must approve";
  last.set_approved("sha256:1");
  EXPECT_FALSE(said(call, last));
  last.mutable_approval_decided()->mutable_votes(0)->set_approve(false);
  EXPECT_FALSE(said(call, last));
}

TEST(CancelPlan, AnEndedCallIsLeftAlone) {
  auto completed = last_event(1, 2, "w");
  completed.mutable_completed();
  EXPECT_EQ(plan_cancel(completed), CancelPlan::kDone);
}

TEST(CancelPlan, CompletesACallThatNoWorkerRuns) {
  const auto request = cancel_request(a_call(), std::nullopt, "", from_unix_us(9));
  EXPECT_EQ(request.seq(), 1U);
  EXPECT_EQ(request.attempt(), 0U);
  EXPECT_EQ(request.user_id(), "ann");
  EXPECT_EQ(request.labels().tool(), "hangs");
  EXPECT_EQ(request.submitted_at_us(), 5);
  ASSERT_EQ(plan_cancel(request), CancelPlan::kComplete);
  const auto done = cancelled_completion(request, from_unix_us(10));
  EXPECT_EQ(done.seq(), 2U);
  EXPECT_EQ(proto::admission_of(done.admission()).policy(), 3U) << "for the audit";
  EXPECT_EQ(done.attempt(), 0U);
  EXPECT_EQ(done.time_us(), 10);
  EXPECT_EQ(done.completed().outcome(), v1::OUTCOME_CANCELLED);
  EXPECT_EQ(done.completed().started_at_us(), 0);
  EXPECT_EQ(done.completed().error().code(), "cancelled");
  EXPECT_EQ(plan_cancel(done), CancelPlan::kDone);
}

TEST(CancelPlan, OfACallInItsQueueFollowsFromTheCallsOwnTrace) {
  auto call = a_call();
  EXPECT_FALSE(cancel_request(call, std::nullopt, "", from_unix_us(9)).has_trace());
  const std::string parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  call.trace = parse_trace_context(parent, "");
  const auto request = cancel_request(call, std::nullopt, "", from_unix_us(9));
  EXPECT_EQ(request.trace().traceparent(), parent);
  EXPECT_EQ(cancelled_completion(request, from_unix_us(10)).trace().traceparent(), parent);
  call.trace = parse_trace_context(parent.substr(0, parent.size() - 1) + "0", "");
  EXPECT_FALSE(cancel_request(call, std::nullopt, "", from_unix_us(9)).has_trace());
}

TEST(CancelPlan, CompletesAParkedCall) {
  auto parked = last_event(2, 7, "w");
  parked.mutable_input_requested();
  parked.add_parked_for("k");
  const auto request = cancel_request(a_call(), parked, "late", from_unix_us(9));
  EXPECT_EQ(plan_cancel(request), CancelPlan::kComplete);
}

TEST(CancelPlan, CompletesBetweenTwoAttempts) {
  auto retry = last_event(2, 7, "w");
  retry.mutable_retry_at()->set_at_us(100);
  const auto request = cancel_request(a_call(), retry, "late", from_unix_us(9));
  ASSERT_EQ(plan_cancel(request), CancelPlan::kComplete);
  const auto done = cancelled_completion(request, from_unix_us(10));
  EXPECT_EQ(done.attempt(), 2U);
  EXPECT_EQ(done.seq(), 9U);
  EXPECT_EQ(done.completed().error().message(), "it was cancelled between two attempts: late");
}

}  // namespace
}  // namespace toolway::gateway::calls
