#include "gateway/calls/call_json.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace toolway::gateway::calls {
namespace {

using persistence::store::RecordedCall;

class CallJson : public testing::Test {
 protected:
  CallJson() {
    request_.set_call_id("019c1f2e-0000-7000-8000-000000000001");
    request_.set_tenant_id("default");
    request_.set_user_id("ann");
    request_.set_session_key("0123456789abcdef0123456789abcdef");
    request_.set_session_id("chat");
    request_.mutable_labels()->set_namespace_("time");
    request_.mutable_labels()->set_tool("now");
    request_.set_arguments(R"({"z": 1.0})");
    request_.set_spec_digest("sha256:00");
    request_.set_submitted_at_us(1'000'000);
    call_ = call_of(request_);
  }
  /// Of this attempt.
  static v1::CallEvent event_of(unsigned attempt) {
    v1::CallEvent event;
    event.set_attempt(attempt);
    event.set_time_us(9'000'000);
    return event;
  }
  void start(unsigned attempt, std::int64_t at_us) {
    auto event = event_of(attempt);
    event.mutable_started()->set_started_at_us(at_us);
    apply_event(call_, event);
  }
  void retry(unsigned attempt) {
    auto event = event_of(attempt);
    event.mutable_retry_at()->set_at_us(8'000'000);
    apply_event(call_, event);
  }
  void complete(unsigned attempt, std::int64_t started_at_us = 0) {
    auto event = event_of(attempt);
    event.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
    event.mutable_completed()->set_result("[1.0]");
    event.mutable_completed()->set_started_at_us(started_at_us);
    apply_event(call_, event);
  }
  OrderedJson shown(CallForm form = CallForm::kGet) const {
    return OrderedJson::parse(call_json(call_, form, "1.2"));
  }

  v1::CallRequest request_;
  RecordedCall call_;
};

TEST_F(CallJson, WhatIsSecretIsNotShown) {
  EXPECT_FALSE(shown().contains("hidden_arguments"));
  request_.set_arguments(R"({"z": 1.0, "password": "hush"})");
  request_.add_secret_places("/password");
  call_ = call_of(request_);
  const auto json = shown();
  EXPECT_EQ(to_text(json["arguments"]), R"({"z":1.0,"password":"[secret]"})");
  EXPECT_EQ(json["hidden_arguments"], OrderedJson::array({"/password"}));
  EXPECT_EQ(call_json(call_, CallForm::kGet, "").find("hush"), std::string::npos);
}

TEST_F(CallJson, OfARequestIsQueued) {
  const auto json = shown();
  EXPECT_EQ(json["call_id"], request_.call_id());
  EXPECT_EQ(json["session_id"], "chat");
  EXPECT_EQ(json["tool"], "now");
  EXPECT_EQ(json["namespace"], "time");
  EXPECT_EQ(json["state"], "queued");
  EXPECT_EQ(json["attempt"], 0);
  EXPECT_EQ(json["version"], "1.2");
  EXPECT_EQ(json["submitted_at"], "1970-01-01T00:00:01.000000Z");
  for (const char* key : {"started_at", "completed_at", "recorded_at", "outcome", "result",
                          "result_ref", "content", "error", "tool_call_id", "topic"})
    EXPECT_TRUE(json.at(key).is_null()) << key;
  EXPECT_NE(call_json(call_, CallForm::kGet).find(R"("arguments":{"z": 1.0})"), std::string::npos)
      << "byte for byte";
}

TEST_F(CallJson, FollowsItsEvents) {
  start(1, 2'000'000);
  EXPECT_EQ(shown()["state"], "running");
  EXPECT_EQ(shown()["started_at"], "1970-01-01T00:00:02.000000Z");
  retry(1);
  EXPECT_EQ(shown()["state"], "queued");
  EXPECT_TRUE(shown()["started_at"].is_null());
  EXPECT_EQ(shown()["attempt"], 1);
  start(2, 3'000'000);
  EXPECT_EQ(shown()["state"], "running");
  EXPECT_EQ(shown()["attempt"], 2);
  complete(2);
  EXPECT_EQ(shown()["state"], "completed");
  EXPECT_EQ(shown()["started_at"], "1970-01-01T00:00:03.000000Z");
  EXPECT_EQ(shown()["completed_at"], "1970-01-01T00:00:09.000000Z");
  EXPECT_EQ(shown()["outcome"], "succeeded");
}

TEST_F(CallJson, ACompletionIsTheEnd) {
  complete(1, 4'000'000);
  EXPECT_EQ(shown()["started_at"], "1970-01-01T00:00:04.000000Z") << "one event reports both";
  start(2, 5'000'000);
  retry(2);
  EXPECT_EQ(shown()["state"], "completed");
  EXPECT_EQ(shown()["attempt"], 1);
  EXPECT_EQ(shown()["started_at"], "1970-01-01T00:00:04.000000Z");
}

TEST_F(CallJson, AnAttemptThatIsKnownByItsReportRuns) {
  apply_event(call_, event_of(1));
  EXPECT_EQ(shown()["state"], "running");
  start(1, 2'000'000);
  start(1, 3'000'000);
  EXPECT_EQ(shown()["started_at"], "1970-01-01T00:00:02.000000Z") << "an attempt starts once";
}

TEST_F(CallJson, TheAnswerToAWaitIsWhatAModelIsShown) {
  complete(1);
  const auto json = shown(CallForm::kWaited);
  EXPECT_EQ(json.begin().key(), "status");
  EXPECT_EQ(json["status"], "completed");
  EXPECT_EQ(json["tool_name"], "now");
  EXPECT_FALSE(json.contains("version"));
  EXPECT_FALSE(shown().contains("status"));
}

TEST_F(CallJson, AnAcceptedCallSaysHowItsResultComes) {
  EXPECT_EQ(OrderedJson::parse(accepted_json(request_))["status"], "queued");
  request_.mutable_labels()->set_multi_step(true);
  const auto json = OrderedJson::parse(accepted_json(request_));
  EXPECT_EQ(json["status"], "streaming");
  EXPECT_EQ(json["call_id"], request_.call_id());
  EXPECT_EQ(json["tool_name"], "now");
}

using namespace std::chrono_literals;

const WallTime kSubmitted = from_unix_us(1'800'000'000'000'000);

RecordedCall submitted() {
  RecordedCall call;
  call.arguments = "{}";
  call.submitted_at = kSubmitted;
  return call;
}

void end(RecordedCall& call, WallTime at) {
  call.completion.emplace();
  call.completion->set_time_us(to_unix_us(at));
  call.completion->mutable_completed()->set_outcome(v1::OUTCOME_FAILED);
}

TEST(CallTimes, AreHowLongACallWaitedAndRan) {
  auto call = submitted();
  EXPECT_EQ(call_times(call).waited, std::nullopt) << "it waits";
  call.started_at = kSubmitted + 1500us;
  EXPECT_EQ(call_times(call).waited, 1500us);
  EXPECT_EQ(call_times(call).ran, std::nullopt) << "it runs";
  end(call, kSubmitted + 21'500us);
  EXPECT_EQ(call_times(call).waited, 1500us);
  EXPECT_EQ(call_times(call).ran, 20ms);
  const auto json = OrderedJson::parse(call_json(call, CallForm::kGet));
  EXPECT_EQ(json["waited_ms"], 1.5);
  EXPECT_EQ(json["ran_ms"], 20);
  EXPECT_FALSE(OrderedJson::parse(call_json(call, CallForm::kWaited)).contains("ran_ms"));
}

TEST(CallTimes, OfACallThatEndedWithoutAStartAreHowLongItWaited) {
  auto call = submitted();
  end(call, kSubmitted + 3s);
  const auto json = OrderedJson::parse(call_json(call, CallForm::kGet));
  EXPECT_EQ(json["waited_ms"], 3000);
  EXPECT_TRUE(json["ran_ms"].is_null());
}

TEST(CallTimes, AreNeverBelowZeroWhenClocksDiffer) {
  auto call = submitted();
  call.started_at = kSubmitted - 2ms;
  const auto json = OrderedJson::parse(call_json(call, CallForm::kGet));
  EXPECT_EQ(json["waited_ms"], 0);
}

}  // namespace
}  // namespace toolway::gateway::calls
