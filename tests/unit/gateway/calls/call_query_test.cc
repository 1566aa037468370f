#include "gateway/calls/call_query.h"

#include <gtest/gtest.h>

namespace toolway::gateway::calls {
namespace {

using namespace std::chrono_literals;
using persistence::store::CallState;

const WallTime kNow = from_unix_us(1'800'000'000'000'000);
constexpr const char* kCall = "0191b3c2-7a6f-7c1d-8e2b-5f3a4d6e7f80";

wire::HttpResult<CallQuery> parse(const std::string& query) {
  return parse_call_query(*wire::Target::parse("/v1/calls" + query), kNow);
}

/// The parameter that a query is refused for, and how.
std::string refused(const std::string& query) {
  const auto parsed = parse(query);
  if (parsed) return "accepted";
  const auto& problem = parsed.error();
  std::string text(code_name(problem.error.code));
  for (const auto& mistake : problem.errors) text += " " + mistake.place + " " + mistake.keyword;
  return text;
}

TEST(CallQuery, AsksForEverythingWithoutParameters) {
  const auto query = parse("");
  ASSERT_TRUE(query);
  EXPECT_EQ(query->limit, 100U);
  EXPECT_FALSE(query->before);
  EXPECT_EQ(query->session, "");
  EXPECT_EQ(query->filter.state, CallState::kAny);
  EXPECT_EQ(query->filter.attempts, 0U);
  EXPECT_FALSE(query->filter.only_completed());
}

TEST(CallQuery, ReadsEachParameter) {
  const auto query = parse(
      "?session=chat-7&tool=shop.refund&outcome=failed&error_code=card_declined&since=1h&"
      "until=2027-01-15T07:59:00Z&min_duration=250ms&max_duration=2s&attempts=2&limit=7&before=" +
      std::string(kCall));
  ASSERT_TRUE(query) << query.error().error.message;
  EXPECT_EQ(query->session, "chat-7");
  EXPECT_EQ(query->limit, 7U);
  EXPECT_EQ(query->before->text(), kCall);
  const auto& filter = query->filter;
  EXPECT_EQ(filter.namespace_, "shop");
  EXPECT_EQ(filter.tool, "refund");
  EXPECT_EQ(filter.outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(filter.error_code, "card_declined");
  EXPECT_EQ(filter.since, kNow - 1h);
  EXPECT_EQ(filter.until, kNow - 1min);
  EXPECT_EQ(filter.min_ran, 250ms);
  EXPECT_EQ(filter.max_ran, 2s);
  EXPECT_EQ(filter.attempts, 2U);
  EXPECT_EQ(parse("?tool=refund")->filter.namespace_, "");
  EXPECT_EQ(parse("?namespace=shop&tool=shop.refund")->filter.namespace_, "shop");
  EXPECT_EQ(parse("?state=running")->filter.state, CallState::kRunning);
  EXPECT_EQ(parse("?outcome=timed_out")->filter.outcome, v1::OUTCOME_TIMED_OUT);
}

TEST(CallQuery, NamesTheParameterThatIsWrong) {
  EXPECT_EQ(refused("?tools=x"), "invalid_request ?tools additionalProperties");
  EXPECT_EQ(refused("?session=a%20b"), "invalid_request ?session pattern");
  EXPECT_EQ(refused("?tool=a.b.c"), "invalid_request ?tool pattern");
  EXPECT_EQ(refused("?tool=.b"), "invalid_request ?tool pattern");
  EXPECT_EQ(refused("?tool="), "invalid_request ?tool pattern");
  EXPECT_EQ(refused("?namespace=*"), "invalid_request ?namespace pattern");
  EXPECT_EQ(refused("?state=done"), "invalid_request ?state enum");
  EXPECT_EQ(refused("?outcome=unspecified"), "invalid_request ?outcome enum");
  EXPECT_EQ(refused("?error_code="), "invalid_request ?error_code pattern");
  EXPECT_EQ(refused("?since=yesterday"), "invalid_request ?since format");
  EXPECT_EQ(refused("?until=-1m"), "invalid_request ?until format");
  EXPECT_EQ(refused("?min_duration=2"), "invalid_request ?min_duration format");
  EXPECT_EQ(refused("?max_duration=x"), "invalid_request ?max_duration format");
  EXPECT_EQ(refused("?attempts=0"), "invalid_request ?attempts range");
  EXPECT_EQ(refused("?limit=1001"), "invalid_request ?limit range");
  EXPECT_EQ(refused("?before=7"), "invalid_cursor");
}

TEST(CallQuery, RefusesWhatNoCallFitsTogether) {
  EXPECT_EQ(refused("?namespace=time&tool=shop.refund"), "invalid_request ?namespace const");
  EXPECT_EQ(refused("?since=1m&until=1h"), "invalid_request ?until range");
  EXPECT_EQ(refused("?min_duration=2s&max_duration=1s"), "invalid_request ?max_duration range");
  EXPECT_EQ(refused("?state=running&outcome=failed"), "invalid_request ?state const");
  EXPECT_EQ(refused("?state=queued&min_duration=1s"), "invalid_request ?state const");
  EXPECT_EQ(refused("?outcome=succeeded&error_code=x"), "invalid_request ?error_code const");
  EXPECT_EQ(refused("?state=completed&outcome=failed"), "accepted");
}

}  // namespace
}  // namespace toolway::gateway::calls
