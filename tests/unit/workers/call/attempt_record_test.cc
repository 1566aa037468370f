#include "workers/call/attempt_record.h"

#include <gtest/gtest.h>

namespace toolway::workers::call {
namespace {

using namespace std::chrono_literals;

v1::CallRequest call() {
  v1::CallRequest call;
  call.set_call_id("c1");
  call.set_tenant_id("acme");
  call.set_user_id("ann");
  call.set_session_id("s");
  call.set_arguments(R"({"password": "hunter2"})");
  call.mutable_labels()->set_namespace_("shop");
  call.mutable_labels()->set_tool("buy");
  call.mutable_trace()->set_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  return call;
}

std::optional<AttemptRecord> record(const extensions::LogRules& rules, v1::Outcome outcome,
                                    std::optional<std::chrono::nanoseconds> ran) {
  return attempt_record(rules, call(),
                        {.outcome = outcome,
                         .error_code = outcome == v1::OUTCOME_SUCCEEDED ? "" : "no_card",
                         .next = AttemptEnd::Next::kCompletion},
                        2, ran);
}

TEST(AttemptRecord, OfAQuickCallThereIsNone) {
  EXPECT_FALSE(record({}, v1::OUTCOME_SUCCEEDED, 10s));
  EXPECT_FALSE(record({}, v1::OUTCOME_FAILED, 1ms));
  EXPECT_FALSE(record({}, v1::OUTCOME_TIMED_OUT, std::nullopt));
}

TEST(AttemptRecord, OfASlowOneSaysWhoseItWasAndHowLongItRan) {
  const auto slow = record({.slow = 5ms}, v1::OUTCOME_SUCCEEDED, 6ms);
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->event, "call_slow");
  EXPECT_EQ(slow->severity, AttemptRecord::Severity::kWarning);
  EXPECT_EQ(slow->fields["call_id"], "c1");
  EXPECT_EQ(slow->fields["tenant"], "acme");
  EXPECT_EQ(slow->fields["tool"], "shop.buy");
  EXPECT_EQ(slow->fields["trace_id"], "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(slow->fields["run_ms"], 6.0);
  EXPECT_EQ(slow->fields["attempt"], 2);
  EXPECT_EQ(slow->fields["outcome"], "succeeded");
  EXPECT_FALSE(slow->fields.contains("code"));
  EXPECT_EQ(to_text(slow->fields).find("hunter2"), std::string::npos) << "no arguments";
}

TEST(AttemptRecord, OfARefusedOneAndOfAllIfTheRulesSaySo) {
  const auto refused = record({}, v1::OUTCOME_REJECTED, std::nullopt);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->event, "call_refused");
  EXPECT_EQ(refused->fields["code"], "no_card");
  EXPECT_FALSE(refused->fields.contains("run_ms"));
  const auto ended = record({.all_calls = true}, v1::OUTCOME_FAILED, 1ms);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->event, "call_ended");
  EXPECT_EQ(ended->severity, AttemptRecord::Severity::kInfo);
}

}  // namespace
}  // namespace toolway::workers::call
