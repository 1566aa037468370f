#include "extensions/services/answer.h"

#include <gtest/gtest.h>

namespace toolway::extensions::services {
namespace {

using Format = Service::Format;

Answer read(std::string_view body, Phase phase = Phase::kBefore, Format format = Format::kToolway) {
  auto answer = read_answer(body, format, phase);
  if (!answer) ADD_FAILURE() << body << ": " << answer.error().message;
  return answer ? *std::move(answer) : Answer{};
}

std::string mistake(std::string_view body, Phase phase = Phase::kBefore,
                    Format format = Format::kToolway) {
  const auto answer = read_answer(body, format, phase);
  EXPECT_FALSE(answer) << body;
  return answer ? "" : answer.error().message;
}

TEST(Answer, LetsACallRun) {
  const auto allowed = read(R"({"decision": "allow"})");
  EXPECT_FALSE(allowed.refusal);
  EXPECT_FALSE(allowed.hold);
}

TEST(Answer, Refuses) {
  const auto plain = read(R"({"decision": "refuse"})");
  ASSERT_TRUE(plain.refusal);
  EXPECT_EQ(plain.refusal->code, ErrorCode::kPermissionDenied);
  EXPECT_FALSE(plain.refusal->message.empty());
  const auto said = read(
      R"({"decision": "refuse", "code": "rate_limited", "message": "later", "retry_after_s": 3})");
  EXPECT_EQ(said.refusal->code, ErrorCode::kRateLimited);
  EXPECT_EQ(said.refusal->message, "later");
  EXPECT_EQ(said.refusal->retry_after, std::chrono::seconds(3));
}

TEST(Answer, HoldsLowersLimitsAndNamesAPool) {
  const auto held = read(R"({"decision": "hold", "pool": "slow", "limits": {"run_ms": 5},
      "approval": {"roles": ["boss"], "quorum": 2, "expires_s": 60,
                   "requester_may_decide": true}})");
  ASSERT_TRUE(held.hold);
  EXPECT_EQ(*held.hold, (Hold{.roles = {"boss"},
                              .quorum = 2,
                              .expires = std::chrono::seconds(60),
                              .requester_may_decide = true}));
  EXPECT_EQ(held.pool, "slow");
  v1::Limits limits;
  limits.set_run_ms(4);
  lower_limits(limits, held.limits);
  EXPECT_EQ(limits.run_ms(), 4U) << "never raised";
  limits.set_run_ms(0);
  lower_limits(limits, held.limits);
  EXPECT_EQ(limits.run_ms(), 5U) << "there was no limit";
  EXPECT_EQ(limits.total_ms(), 0U);
}

TEST(Answer, OfOpaIsItsResult) {
  const auto opa = [](std::string_view body) { return read(body, Phase::kBefore, Format::kOpa); };
  EXPECT_FALSE(opa(R"({"result": true})").refusal);
  EXPECT_FALSE(opa(R"({"result": true, "decision_id": "4ca6", "metrics": {}})").refusal);
  EXPECT_TRUE(opa(R"({"result": false})").refusal);
  EXPECT_FALSE(opa(R"({"result": {"allow": true, "pool": "slow"}})").refusal);
  EXPECT_EQ(opa(R"({"result": {"allow": false, "message": "no"}})").refusal->message, "no");
  EXPECT_TRUE(opa(R"({"result": {"decision": "hold"}})").hold);
  EXPECT_NE(mistake("{}", Phase::kBefore, Format::kOpa).find("no `result`"), std::string::npos);
  mistake("[]", Phase::kBefore, Format::kOpa);
  mistake(R"({"result": null})", Phase::kBefore, Format::kOpa);
  mistake(R"({"result": "yes"})", Phase::kBefore, Format::kOpa);
  mistake(R"({"result": {"allow": "true"}})", Phase::kBefore, Format::kOpa);
}

// What a hostile or a broken service may send: each of these says nothing, so on_failure decides.
TEST(HostileAnswer, NotJson) { mistake("<html>"); }
TEST(HostileAnswer, Empty) { mistake(""); }
TEST(HostileAnswer, CutOff) { mistake(R"({"decision": "allow")"); }
TEST(HostileAnswer, TwoValues) { mistake(R"({"decision":"allow"}{"decision":"refuse"})"); }
TEST(HostileAnswer, ARepeatedKey) { mistake(R"({"decision":"refuse","decision":"allow"})"); }
TEST(HostileAnswer, NestedTooDeeply) { mistake(std::string(100'000, '[')); }
TEST(HostileAnswer, NotUtf8) { mistake("{\"decision\":\"allow\xff\"}"); }
TEST(HostileAnswer, AList) { mistake("[]"); }
TEST(HostileAnswer, ATruth) { mistake("true"); }
TEST(HostileAnswer, NoDecision) { mistake("{}"); }
TEST(HostileAnswer, ADecisionThatIsATruth) { mistake(R"({"decision": true})"); }
TEST(HostileAnswer, AnUnknownDecision) { mistake(R"({"decision": "maybe"})"); }
TEST(HostileAnswer, ADecisionInCapitals) { mistake(R"({"decision": "ALLOW"})"); }
TEST(HostileAnswer, AnUnknownMember) { mistake(R"({"decision": "allow", "arguments": {}})"); }
TEST(HostileAnswer, AnUnknownCode) { mistake(R"({"decision": "refuse", "code": "internal"})"); }
TEST(HostileAnswer, AMessageThatIsTooLong) {
  mistake(R"({"decision": "refuse", "message": ")" + std::string(1001, 'x') + "\"}");
}
TEST(HostileAnswer, AMessageThatIsAnObject) { mistake(R"({"decision": "refuse", "message": {}})"); }
TEST(HostileAnswer, RetryAfterInWords) {
  mistake(R"({"decision": "refuse", "code": "rate_limited", "retry_after_s": "1"})");
}
TEST(HostileAnswer, RetryAfterAYear) {
  mistake(R"({"decision": "refuse", "code": "rate_limited", "retry_after_s": 31536000})");
}
TEST(HostileAnswer, ALimitBelowZero) {
  mistake(R"({"decision": "allow", "limits": {"run_ms": -1}})");
}
TEST(HostileAnswer, ALimitOverEverything) {
  mistake(R"({"decision": "allow", "limits": {"run_ms": 18446744073709551615}})");
}
TEST(HostileAnswer, ALimitThatIsNone) { mistake(R"({"decision": "allow", "limits": {"x": 1}})"); }
TEST(HostileAnswer, APoolThatIsASubject) { mistake(R"({"decision": "allow", "pool": "a.>"})"); }
TEST(HostileAnswer, ThePoolOfHeldCalls) { mistake(R"({"decision": "allow", "pool": "held"})"); }
TEST(HostileAnswer, AQuorumOfNone) {
  mistake(R"({"decision": "hold", "approval": {"quorum": 0}})");
}
TEST(HostileAnswer, AHoldForYears) {
  mistake(R"({"decision": "hold", "approval": {"expires_s": 99999999}})");
}
TEST(HostileAnswer, AHoldOfAResult) { mistake(R"({"decision": "hold"})", Phase::kAfter); }
TEST(HostileAnswer, AReplacementBeforeTheCall) {
  mistake(R"({"decision": "replace", "result": {}})");
}
TEST(HostileAnswer, AReplacementWithoutAResult) {
  mistake(R"({"decision": "replace"})", Phase::kAfter);
}
TEST(HostileAnswer, PlacesThatAreNotPointers) {
  mistake(R"({"decision": "redact", "places": ["token"]})", Phase::kAfter);
}

class AnsweredResult : public testing::Test {
 protected:
  AnsweredResult() {
    tool_.output = *tools::schema::compile_schema(
        OrderedJson::parse(R"({"type": "object", "properties": {"n": {"type": "integer"}}})"));
  }
  Result<tools::model::Execution> after(std::string_view body) {
    return answered_result(read(body, Phase::kAfter), tool_, Json::parse(R"({"n": 1, "t": "x"})"));
  }
  tools::model::RegisteredTool tool_;
};

TEST_F(AnsweredResult, IsRedactedReplacedOrRefused) {
  EXPECT_EQ(**after(R"({"decision": "allow"})"), Json::parse(R"({"n": 1, "t": "x"})"));
  EXPECT_EQ(**after(R"({"decision": "redact", "places": ["/t", "/none"]})"),
            Json::parse(R"({"n": 1, "t": "[secret]"})"));
  EXPECT_EQ(**after(R"({"decision": "replace", "result": {"n": 2}})"), Json::parse(R"({"n": 2})"));
  const auto refused = after(R"({"decision": "refuse", "message": "not that"})");
  ASSERT_TRUE(refused);
  ASSERT_FALSE(*refused);
  EXPECT_EQ(refused->error().code, "permission_denied");
  EXPECT_EQ(refused->error().message, "not that");
}

TEST_F(AnsweredResult, MustFitTheOutputSchema) {
  const auto wrong = after(R"({"decision": "replace", "result": {"n": "two"}})");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("/n"), std::string::npos) << wrong.error().message;
}

}  // namespace
}  // namespace toolway::extensions::services
