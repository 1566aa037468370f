#include "persistence/store/call_search.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace toolway::persistence::store {
namespace {

using namespace std::chrono_literals;

CallFilter of_ann() { return {.tenant_id = {}, .user_id = "ann"}; }

TEST(CallSearch, TakesTheIndexThatLeavesTheFewestCandidates) {
  auto filter = of_ann();
  EXPECT_EQ(candidate_index(filter), CandidateIndex::kUser);
  filter.min_ran = 999ms;
  EXPECT_EQ(candidate_index(filter), CandidateIndex::kUser) << "the index of slow calls lacks some";
  filter.min_ran = kSlow;
  EXPECT_EQ(candidate_index(filter), CandidateIndex::kSlow);
  filter.tool = "refund";
  EXPECT_EQ(candidate_index(filter), CandidateIndex::kTool);
  filter.attempts = 1;
  EXPECT_EQ(candidate_index(filter), CandidateIndex::kTool) << "nearly every call had one";
  filter.attempts = 2;
  EXPECT_EQ(candidate_index(filter), CandidateIndex::kRetried);
  filter.outcome = v1::OUTCOME_SUCCEEDED;
  EXPECT_EQ(candidate_index(filter), CandidateIndex::kRetried);
  filter.outcome = v1::OUTCOME_LOST;
  EXPECT_EQ(candidate_index(filter), CandidateIndex::kOutcome);
  filter.error_code = "call_lost";
  EXPECT_EQ(candidate_index(filter), CandidateIndex::kErrorCode);
  filter.session = SessionKey::make();
  EXPECT_EQ(candidate_index(filter), CandidateIndex::kSession);
}

std::string sql_of(const CallFilter& filter) {
  return search_statement(filter, std::nullopt, 10).sql;
}

TEST(CallSearch, AlwaysAsksWhoseCallsTheyAre) {
  auto filter = of_ann();
  const auto asks = [&filter] {
    const auto sql = sql_of(filter);
    return sql.find("tenant_id = $") != std::string::npos &&
           sql.find("user_id = $") != std::string::npos;
  };
  EXPECT_TRUE(asks());
  filter.tool = "refund";
  EXPECT_TRUE(asks());
  filter.error_code = "x";
  EXPECT_TRUE(asks());
  filter.session = SessionKey::make();
  EXPECT_TRUE(asks());
}

TEST(CallSearch, LooksOnlyIntoWhatTheFilterNeeds) {
  auto filter = of_ann();
  EXPECT_EQ(sql_of(filter).find("LATERAL"), std::string::npos);
  filter.outcome = v1::OUTCOME_SUCCEEDED;
  EXPECT_NE(sql_of(filter).find("completions"), std::string::npos);
  EXPECT_EQ(sql_of(filter).find("call_events"), std::string::npos);
  filter.outcome.reset();
  filter.state = CallState::kRunning;
  EXPECT_NE(sql_of(filter).find("call_events"), std::string::npos);
}

TEST(CallSearch, AsksNothingThatItsIndexSays) {
  auto filter = of_ann();
  filter.tool = "refund";
  filter.outcome = v1::OUTCOME_FAILED;
  EXPECT_EQ(sql_of(filter).find("f.outcome"), std::string::npos);
  filter.error_code = "tool_failed";
  EXPECT_EQ(sql_of(filter).find("f.error_code"), std::string::npos);
  EXPECT_NE(sql_of(filter).find("f.outcome"), std::string::npos)
      << "the index of codes does not say it";
}

TEST(CallSearch, SendsWhatClientsChoseAsParametersOnly) {
  auto filter = of_ann();
  filter.user_id = "'; DROP TABLE calls; --";
  filter.error_code = "'x'";
  const auto statement = search_statement(filter, std::nullopt, 10);
  EXPECT_EQ(statement.sql.find("DROP"), std::string::npos);
  EXPECT_EQ(statement.sql.find("'x'"), std::string::npos);
  EXPECT_TRUE(std::ranges::any_of(statement.parameters, [&](const auto& parameter) {
    return parameter.text() == filter.user_id;
  }));
}

TEST(CallSearch, KnowsTheSmallestIdOfATime) {
  EXPECT_EQ(first_call_id(from_unix_us(1'800'000'000'000'000)),
            "01a3185c-5000-0000-0000-000000000000");
}

}  // namespace
}  // namespace toolway::persistence::store
