#include "cli/replay/recorded_session.h"

#include <gtest/gtest.h>

#include "cli/replay/mocked_stack.h"

namespace toolway::cli::replay {
namespace {

OrderedJson call(const char* outcome) {
  return {{"call_id", "c1"}, {"state", "completed"}, {"outcome", outcome}};
}

TEST(ReplayedCalls, OnlyWhatAToolCanRepeatIsMadeAgain) {
  for (const char* outcome : {"succeeded", "failed", "rejected", "timed_out"})
    EXPECT_EQ(why_not(call(outcome), Target::kGateway), "") << outcome;
  for (const char* outcome : {"cancelled", "unknown", "lost"})
    EXPECT_NE(why_not(call(outcome), Target::kGateway), "") << outcome;
  EXPECT_NE(why_not({{"state", "running"}}, Target::kGateway), "");
  auto hidden = call("succeeded");
  hidden["hidden_arguments"] = {"/password"};
  EXPECT_NE(why_not(hidden, Target::kGateway).find("secrets"), std::string::npos);
}

TEST(ReplayedCalls, MocksAnswerWhatAToolAnswered) {
  EXPECT_EQ(why_not(call("failed"), Target::kMocks), "");
  EXPECT_NE(why_not(call("timed_out"), Target::kMocks), "");
  EXPECT_NE(why_not(call("rejected"), Target::kMocks), "");
}

TEST(ReplayedCalls, ACallThatHasNotEndedIsItsState) {
  EXPECT_EQ(ending_of({{"call_id", "c"}, {"state", "held"}, {"outcome", nullptr}}).outcome, "held");
  const auto ending = ending_of({{"call_id", "c"},
                                 {"state", "completed"},
                                 {"outcome", "failed"},
                                 {"error", {{"code", "not_found"}}},
                                 {"ran_ms", 1.5}});
  EXPECT_EQ(ending.outcome, "failed");
  EXPECT_EQ(ending.error_code, "not_found");
  EXPECT_EQ(ending.ran_ms, 1.5);
}

TEST(MockedStack, HasTheSessionsToolsExceptThoseOfEveryGateway) {
  const OrderedJson tools = {{{"name", "pay"},
                              {"namespace", "shop"},
                              {"kind", "http"},
                              {"requires_approval", true},
                              {"output_schema", nullptr},
                              {"category", ""},
                              {"limits", {{"run_ms", 5000}, {"queue_ms", nullptr}}}},
                             {{"name", "get_current_time"}, {"namespace", "time"}}};
  const auto specs = Json::parse(specs_text(tools, {"time.get_current_time"}))["tools"];
  ASSERT_EQ(specs.size(), 1U);
  EXPECT_EQ(specs[0]["kind"], "template") << "a mock answers, so no program is needed";
  EXPECT_EQ(specs[0]["limits"], Json({{"run_ms", 5000}}));
  EXPECT_FALSE(specs[0].contains("requires_approval")) << "it was approved when it was recorded";
  EXPECT_FALSE(specs[0].contains("output_schema"));
  EXPECT_FALSE(specs[0].contains("category"));
}

TEST(MockedStack, AnswersAreWhatWasRecorded) {
  const std::vector<RecordedCall> calls{
      {"a.b", {{"x", 1}}, {.outcome = "succeeded", .result = Json("yes"), .ran_ms = 12.6}},
      {"a.c", OrderedJson::object(), {.outcome = "failed", .error_code = "not_found"}}};
  EXPECT_EQ(
      answers_text(calls),
      R"({"tool":"a.b","arguments":{"x":1},"duration_ms":13,"result":"yes"})"
      "\n"
      R"({"tool":"a.c","arguments":{},"duration_ms":0,"error":{"code":"not_found","message":"as recorded"}})"
      "\n");
}

}  // namespace
}  // namespace toolway::cli::replay
