#include "gateway/mcp/tool_result.h"

#include <gtest/gtest.h>

#include "gateway/mcp/rpc_request.h"

namespace toolway::gateway::mcp {
namespace {

using toolway::mcp::Revision;

class ToolResult : public testing::Test {
 protected:
  ToolResult() { request_.set_call_id("c"); }
  v1::CallEvent ended(v1::Outcome outcome, const std::string& result = {}) {
    v1::CallEvent event;
    event.mutable_completed()->set_outcome(outcome);
    event.mutable_completed()->set_result(result);
    return event;
  }
  v1::CallRequest request_;
  tools::model::Spec spec_;
};

TEST_F(ToolResult, OfAToolWithASchemaIsStructuredAndText) {
  spec_.output_schema = {{"type", "object"}};
  const auto event = ended(v1::OUTCOME_SUCCEEDED, R"({"a": 1})");
  const auto result = tool_result(event, request_, spec_, Revision::k2025_11_25);
  EXPECT_EQ(result["structuredContent"], (Json{{"a", 1}}));
  EXPECT_EQ(result["content"][0]["type"], "text");
  EXPECT_EQ(result["isError"], false);
  EXPECT_EQ(result["_meta"]["toolway/call_id"], "c");
  EXPECT_FALSE(result.contains("resultType"));
  EXPECT_FALSE(
      tool_result(event, request_, spec_, Revision::k2025_03_26).contains("structuredContent"));
  EXPECT_EQ(tool_result(event, request_, spec_, Revision::k2026_07_28)["resultType"], "complete");
  const auto list = ended(v1::OUTCOME_SUCCEEDED, "[1]");
  EXPECT_FALSE(
      tool_result(list, request_, spec_, Revision::k2025_11_25).contains("structuredContent"));
  EXPECT_TRUE(
      tool_result(list, request_, spec_, Revision::k2026_07_28).contains("structuredContent"));
}

TEST_F(ToolResult, OfACallThatWasAcceptedSaysThatItIsNone) {
  const auto status = [this] {
    const auto result = accepted_result(request_, spec_, Revision::k2025_11_25, "");
    EXPECT_EQ(result["isError"], false);
    EXPECT_EQ(result["_meta"]["toolway/call_id"], "c");
    return result["_meta"]["toolway/status"];
  };
  EXPECT_EQ(status(), "queued");
  request_.mutable_labels()->set_multi_step(true);
  EXPECT_EQ(status(), "streaming");
  request_.mutable_hold();
  EXPECT_EQ(status(), "awaiting_approval");
}

TEST_F(ToolResult, OfAnAcceptedCallSaysHowToLearnMore) {
  const auto said = [this](std::string_view check_tool) {
    const auto result = accepted_result(request_, spec_, Revision::k2025_11_25, check_tool);
    return parse_json(result["content"][0]["text"].get<std::string>()).value()["message"];
  };
  EXPECT_EQ(said("tasks__check_task_status"),
            "Accepted; it is running in the background. Do not call it again; check it with "
            "tasks__check_task_status, call_id c.");
  request_.mutable_hold();
  EXPECT_EQ(said(""),
            "Waiting for a person's approval. Do not call it again: when it has succeeded, its "
            "result is the resource toolway://calls/c/result.");
}

TEST_F(ToolResult, WhatAClientWouldCheckAgainstASchemaAndCannotIsAnError) {
  const auto is_error = [this](Revision revision) {
    return accepted_result(request_, spec_, revision, "")["isError"].get<bool>();
  };
  EXPECT_FALSE(is_error(Revision::k2025_11_25));
  spec_.output_schema = {{"type", "array"}};
  EXPECT_FALSE(is_error(Revision::k2025_11_25)) << "it is not shown there";
  EXPECT_TRUE(is_error(Revision::k2026_07_28));
  spec_.output_schema = {{"type", "object"}};
  EXPECT_TRUE(is_error(Revision::k2025_11_25));
  EXPECT_FALSE(is_error(Revision::k2025_03_26)) << "it has no structured results";

  auto large = ended(v1::OUTCOME_SUCCEEDED, R"({"a": "the beg)");
  large.mutable_completed()->mutable_blob()->set_size(90);
  EXPECT_TRUE(needs_whole(large.completed(), spec_, Revision::k2025_11_25));
  const auto without = tool_result(large, request_, spec_, Revision::k2025_11_25);
  EXPECT_EQ(without["isError"], true);
  EXPECT_EQ(without["_meta"]["toolway/outcome"], "succeeded");
  EXPECT_FALSE(without.contains("structuredContent"));
  const auto text = without["content"][1]["text"].get<std::string>();
  EXPECT_TRUE(text.starts_with("[The call succeeded: do not call it again.")) << text;
  EXPECT_NE(text.find("GET /v1/calls/c/result"), std::string::npos) << text;
  const auto with = tool_result(large, request_, spec_, Revision::k2025_11_25, R"({"a": "all"})");
  EXPECT_EQ(with["isError"], false);
  EXPECT_EQ(with["structuredContent"], (Json{{"a", "all"}}));
  spec_.output_schema = nullptr;
  EXPECT_FALSE(needs_whole(large.completed(), spec_, Revision::k2025_11_25));
  EXPECT_EQ(tool_result(large, request_, spec_, Revision::k2025_11_25)["isError"], false);
}

TEST_F(ToolResult, ItsAnswerIsTheSameHoweverItIsWritten) {
  const toolway::mcp::RequestId id = std::string("a\"b");
  std::vector<v1::CallEvent> ends;
  for (const auto* result :
       {R"({"b": [1, 2.50], "a": "\u00e9\n"})", R"("a\"text")", "null", " 7", "[]", R"({})", ""})
    ends.push_back(ended(v1::OUTCOME_SUCCEEDED, result));
  ends.push_back(ended(v1::OUTCOME_FAILED, ""));
  ends.push_back(ends.front());
  ends.back().mutable_completed()->add_content()->set_text("t");
  ends.push_back(ends.front());
  ends.back().mutable_completed()->mutable_blob()->set_size(9);
  for (const bool schema : {true, false})
    for (const auto revision : toolway::mcp::kRevisions)
      for (const auto& end : ends) {
        spec_.output_schema = schema ? Json{{"type", "object"}} : Json();
        const auto text = tool_answer(id, end, request_, spec_, revision);
        const auto read = answer_text(id, tool_result(end, request_, spec_, revision));
        ASSERT_TRUE(parse_json(text)) << text;
        EXPECT_EQ(*parse_json(text), *parse_json(read));
      }
}

TEST_F(ToolResult, HasEveryBlock) {
  auto event = ended(v1::OUTCOME_SUCCEEDED, "null");
  for (const auto* const type : {"text", "image", "audio", "resource", "resource_link"}) {
    auto& block = *event.mutable_completed()->add_content();
    block.set_type(type);
    block.set_text("t");
    block.set_uri("test://a");
    block.set_mime_type("x/y");
    if (std::string_view(type) == "image") block.set_data("abc");
  }
  const auto content = tool_result(event, request_, spec_, Revision::k2025_11_25)["content"];
  ASSERT_EQ(content.size(), 5U);
  EXPECT_EQ(content[1], (Json{{"type", "image"}, {"data", "YWJj"}, {"mimeType", "x/y"}}));
  EXPECT_EQ(content[3]["resource"]["text"], "t");
  EXPECT_EQ(content[4]["uri"], "test://a");
}

TEST_F(ToolResult, EveryOtherOutcomeIsAnErrorThatTheModelReads) {
  for (const auto outcome : {v1::OUTCOME_FAILED, v1::OUTCOME_REJECTED, v1::OUTCOME_CANCELLED,
                             v1::OUTCOME_TIMED_OUT, v1::OUTCOME_UNKNOWN, v1::OUTCOME_LOST}) {
    auto event = ended(outcome);
    event.mutable_completed()->mutable_error()->set_message("why");
    const auto result = tool_result(event, request_, spec_, Revision::k2025_11_25);
    EXPECT_EQ(result["isError"], true);
    EXPECT_EQ(result["content"][0]["text"], "why");
  }
}

TEST_F(ToolResult, IsTheSameOfAnEventAsItIsShown) {
  const Json shown{{"outcome", "succeeded"},
                   {"result", {{"a", 1}}},
                   {"content", Json::array({{{"type", "image"}, {"data", "YWJj"}}})},
                   {"error", nullptr},
                   {"result_ref", {{"size", 5}}}};
  const auto event = completion_of(shown);
  EXPECT_EQ(event.completed().result(), R"({"a":1})");
  EXPECT_EQ(event.completed().content(0).data(), "abc");
  EXPECT_EQ(event.completed().blob().size(), 5U);
}

}  // namespace
}  // namespace toolway::gateway::mcp
