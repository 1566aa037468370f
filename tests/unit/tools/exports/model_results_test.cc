#include "tools/exports/model_results.h"

#include <gtest/gtest.h>

namespace toolway::tools::exports {
namespace {

const std::vector<ModelResult> kResults{
    {.tool_call_id = "c1", .text = "2"},
    {.tool_call_id = "c2", .text = "tool_error: no", .is_error = true, .custom = true}};

std::string appended(ModelApi api) { return to_text(messages_to_append(api, kResults)); }

TEST(ModelResults, EachApiGetsItsOwnForm) {
  EXPECT_EQ(appended(ModelApi::kOpenAi),
            R"([{"role":"tool","tool_call_id":"c1","content":"2"},)"
            R"({"role":"tool","tool_call_id":"c2","content":"tool_error: no"}])");
  EXPECT_EQ(appended(ModelApi::kOpenAiResponses),
            R"([{"type":"function_call_output","call_id":"c1","output":"2"},)"
            R"({"type":"custom_tool_call_output","call_id":"c2","output":"tool_error: no"}])");
  EXPECT_EQ(
      appended(ModelApi::kAnthropic),
      R"([{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"2"},)"
      R"({"type":"tool_result","tool_use_id":"c2","content":"tool_error: no","is_error":true}]}])");
}

TEST(ModelResults, WithoutResultsThereIsNoMessage) {
  for (const auto api : {ModelApi::kOpenAi, ModelApi::kOpenAiResponses, ModelApi::kAnthropic})
    EXPECT_EQ(to_text(messages_to_append(api, {})), "[]");
}

TEST(ModelResults, IndentsAndKeepsNumbersAndStrings) {
  EXPECT_EQ(pretty_json(R"({"a":[1.50,{}],"b":"x\u00e4:,{"})"),
            "{\n  \"a\": [\n    1.50,\n    {}\n  ],\n  \"b\": \"x\\u00e4:,{\"\n}");
  EXPECT_EQ(pretty_json(" [ ] "), "[]");
}

TEST(ModelResults, AStringIsItsText) {
  EXPECT_EQ(model_text(R"( "a\nb")"), "a\nb");
  EXPECT_EQ(model_text("12"), "12");
  EXPECT_EQ(model_text(" "), "null");
  EXPECT_EQ(model_error_text("why"), "tool_error: why");
}

TEST(BlockLine, NamesWhatIsKnownOfIt) {
  EXPECT_EQ(block_line({.type = "image", .mime_type = "image/png", .bytes = 70}),
            "[image image/png, 70 bytes]");
  EXPECT_EQ(block_line({.type = "resource", .mime_type = "text/csv", .name = "n", .uri = "u"}),
            "[resource text/csv n u]");
  EXPECT_EQ(block_line({.type = "image", .bytes = 9}, "too large to show"),
            "[image, 9 bytes: too large to show]");
}

}  // namespace
}  // namespace toolway::tools::exports
