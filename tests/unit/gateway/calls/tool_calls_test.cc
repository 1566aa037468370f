#include "gateway/calls/tool_calls.h"

#include <gtest/gtest.h>

#include "gateway/loop/work_pool.h"

namespace toolway::gateway::calls {
namespace {

std::string query(const std::string& text) {
  const auto target = wire::Target::parse("/x" + text);
  const auto asked = parse_tool_calls_query(*target);
  if (!asked) return asked.error().errors.at(0).place + " " + asked.error().errors.at(0).keyword;
  return (asked->api ? std::to_string(static_cast<int>(*asked->api)) : "-") +
         (asked->inline_wait ? " " + std::to_string(asked->inline_wait->count()) : "");
}

TEST(ToolCallsQuery, NamesTheApiAndTheWait) {
  EXPECT_EQ(query("?format=openai"), "0");
  EXPECT_EQ(query("?format=openai-responses&inline_ms=0"), "1 0");
  EXPECT_EQ(query("?format=anthropic&inline_ms=300000"), "2 300000");
  EXPECT_EQ(query("?format=toolway"), "-");
  EXPECT_EQ(query(""), "?format required");
  EXPECT_EQ(query("?format=mcp"), "?format enum");
  for (const char* bad : {"300001", "-1", "", "1s", "99999999999999999999"}) {
    EXPECT_EQ(query(std::string("?format=openai&inline_ms=") + bad), "?inline_ms range") << bad;
  }
  EXPECT_EQ(query("?format=openai&wait=1"), "?wait additionalProperties");
}

TEST(ToolCallsBody, IsRefusedWhereItIsWrong) {
  const auto parse = [](std::string_view text) {
    return parse_tool_calls(*wire::parse_any_body(text), tools::exports::ModelApi::kOpenAi, 100);
  };
  EXPECT_EQ(wire::parse_any_body("").error().error.code, ErrorCode::kMalformedJson);
  EXPECT_EQ(wire::parse_any_body("{").error().error.code, ErrorCode::kMalformedJson);
  EXPECT_EQ(parse("[]").error().error.code, ErrorCode::kInvalidRequest);
  const auto no_id = parse(R"({"role":"assistant","tool_calls":[{"function":{"name":"t"}}]})");
  ASSERT_FALSE(no_id);
  EXPECT_EQ(wire::status_of(no_id.error()), 422U);
  EXPECT_EQ(no_id.error().errors.at(0).place, "/tool_calls/0/id");
}

TEST(ToolCallsBody, OfNoApiIsStrict) {
  const auto parse = [](std::string_view text) {
    return parse_tool_calls(*wire::parse_any_body(text), std::nullopt, 100);
  };
  const auto calls = parse(R"({"calls": [{"id": "a", "tool": "x.t", "arguments": {"n": 1}},
      {"id": "b", "tool": "x.t", "arguments": "{\"n\": 1.50}"}, {"id": "c", "tool": "x.t"},
      {"id": "d", "tool": "x.t", "arguments": "[]"}, {"id": "e"}]})");
  ASSERT_TRUE(calls) << calls.error().error.message;
  ASSERT_EQ(calls->size(), 5U);
  EXPECT_EQ((*calls)[0].arguments_text, R"({"n":1})");
  EXPECT_EQ((*calls)[1].arguments_text, R"({"n": 1.50})") << "byte for byte";
  EXPECT_EQ((*calls)[2].arguments_text, "{}");
  EXPECT_EQ((*calls)[3].wrong->code, ErrorCode::kInvalidArguments);
  EXPECT_EQ((*calls)[4].wrong->code, ErrorCode::kInvalidRequest) << "it names no tool";
  const auto place = [&](std::string_view text) {
    const auto refused = parse(text);
    return refused ? std::string("taken") : refused.error().errors.at(0).place;
  };
  EXPECT_EQ(place(R"({"tool_calls": []})"), "/tool_calls");
  EXPECT_EQ(place("{}"), "/calls");
  EXPECT_EQ(place(R"({"calls": {}})"), "/calls");
  EXPECT_EQ(place(R"({"calls": [{"tool": "t"}]})"), "/calls/0/id");
  EXPECT_EQ(place(R"({"calls": [5]})"), "/calls/0");
  EXPECT_EQ(place(R"({"calls": [{"id": "a", "name": "t"}]})"), "/calls/0/name");
  EXPECT_EQ(place("[]"), "");
  EXPECT_EQ(place(R"({"calls": []})"), "taken");
}

v1::Completed succeeded(const std::string& result) {
  v1::Completed completed;
  completed.set_outcome(v1::OUTCOME_SUCCEEDED);
  completed.set_result(result);
  return completed;
}

AnsweredCall completed_call(v1::Completed completed, const std::string& call_id = "id",
                            const std::string& tool_call_id = "c") {
  AnsweredCall call{.tool_call_id = tool_call_id, .tool = "x.a"};
  call.request.set_call_id(call_id);
  *call.completion.emplace().mutable_completed() = std::move(completed);
  return call;
}

tools::exports::ModelResult completed_result(v1::Completed completed) {
  return result_of(completed_call(std::move(completed)));
}

TEST(CompletedResult, IsReadable) {
  EXPECT_EQ(completed_result(succeeded(R"({"a":1.0})")).text, "{\n  \"a\": 1.0\n}");
  EXPECT_EQ(completed_result(succeeded("\"x\"")).text, "x");
  EXPECT_EQ(completed_result(succeeded("")).text, "null");
  v1::Completed failed;
  failed.set_outcome(v1::OUTCOME_FAILED);
  failed.mutable_error()->set_message("used up");
  EXPECT_EQ(completed_result(failed).text, "tool_error: used up");
  EXPECT_TRUE(completed_result(failed).is_error);
  v1::Completed lost;
  lost.set_outcome(v1::OUTCOME_LOST);
  EXPECT_EQ(completed_result(lost).text, "tool_error: the call ended as lost");
}

TEST(ModelResults, BlocksAreShownAsFarAsTextCan) {
  auto completed = succeeded(R"({"content":[]})");
  auto& text = *completed.add_content();
  text.set_type("text");
  text.set_text("a picture");
  auto& image = *completed.add_content();
  image.set_type("image");
  image.set_mime_type("image/png");
  image.set_data(std::string(70, '\0'));
  auto& link = *completed.add_content();
  link.set_type("resource_link");
  link.set_uri("file:///a");
  EXPECT_EQ(completed_result(completed).text,
            "a picture\n[image image/png, 70 bytes]\n[resource_link file:///a]");
}

TEST(CompletedResult, OfAPreviewSaysWhereTheWholeIs) {
  auto large = succeeded("[1,2]");
  large.mutable_blob()->set_size(52'428'800);
  EXPECT_EQ(
      result_of(completed_call(large, "0198")).text,
      "[\n  1,\n  2\n]\n\n[This is only the beginning: the whole result has 52428800 bytes, and is at "
      "/v1/calls/0198/result]");
}

TEST(ToolCallsAnswer, IsSmallWorkOnlyWhileResultsAreShort) {
  const std::vector<AnsweredCall> short_ones(20, completed_call(succeeded(R"({"found":[1,2,3]})")));
  EXPECT_LE(writing_cost(short_ones), loop::WorkPool::kSmall);
  EXPECT_GT(writing_cost({completed_call(succeeded('"' + std::string(9 * 1024, 'x') + '"'))}),
            loop::WorkPool::kSmall);
  auto picture = succeeded("{}");
  picture.add_content()->set_text(std::string(9 * 1024, 'x'));
  EXPECT_GT(writing_cost({completed_call(picture)}), loop::WorkPool::kSmall);
}

TEST(ToolCallsAnswer, HasOneMessageAndOneStatePerCall) {
  std::vector<AnsweredCall> calls;
  calls.push_back(completed_call(succeeded("1"), "id1", "c1"));
  calls.push_back({.tool_call_id = "c2", .tool = "x.b"});
  calls.back().request.set_call_id("id2");
  calls.back().request.mutable_labels()->set_tool("b");
  calls.back().request.mutable_labels()->set_multi_step(true);
  calls.push_back({.tool_call_id = "c3",
                   .tool = "z",
                   .refused = wire::Problem{.error = {ErrorCode::kUnknownTool, "unknown tool z"},
                                            .suggestions = {"x__a"}}});
  const auto answer =
      Json::parse(tool_calls_json(tools::exports::ModelApi::kAnthropic, calls, "r1"));
  ASSERT_EQ(answer["messages"].size(), 1U);
  const auto& content = answer["messages"][0]["content"];
  EXPECT_EQ(content[0]["content"], "1");
  EXPECT_EQ(
      content[1]["content"],
      "{\n  \"status\": \"streaming\",\n  \"call_id\": \"id2\",\n  \"tool_name\": \"b\",\n"
      "  \"message\": \"Accepted; it is running in the background and reports its progress. You "
      "will be told when it ends: do not call it again.\"\n}");
  EXPECT_FALSE(content[1].contains("is_error"));
  EXPECT_EQ(content[2]["content"], "tool_error: unknown tool z");
  EXPECT_EQ(content[2]["is_error"], true);
  EXPECT_EQ(
      answer["calls"][0].dump(),
      R"({"call_id":"id1","outcome":"succeeded","status":"completed","tool":"x.a","tool_call_id":"c1"})");
  EXPECT_EQ(
      answer["calls"][1].dump(),
      R"({"call_id":"id2","outcome":null,"status":"detached","tool":"x.b","tool_call_id":"c2"})");
  EXPECT_EQ(answer["calls"][2]["status"], "refused");
  EXPECT_EQ(answer["calls"][2]["call_id"], nullptr);
  EXPECT_EQ(answer["calls"][2]["error"]["suggestions"], Json::array({"x__a"}));
  EXPECT_EQ(tool_calls_json(tools::exports::ModelApi::kOpenAi, {}, "r"),
            R"({"messages":[],"calls":[]})");
}

TEST(ToolCallsAnswer, OfNoApiHasAllThatIsKnownOfEachCall) {
  auto picture = succeeded(R"({"n":1})");
  auto& block = *picture.add_content();
  block.set_type("image");
  block.set_mime_type("image/png");
  block.set_data("abc");
  std::vector<AnsweredCall> calls;
  calls.push_back(completed_call(picture, "id1", "c1"));
  v1::Completed failed;
  failed.set_outcome(v1::OUTCOME_FAILED);
  failed.mutable_error()->set_code("no_stock");
  failed.mutable_error()->set_message("none left");
  calls.push_back(completed_call(failed, "id2", "c2"));
  calls.push_back({.tool_call_id = "c3", .tool = "x.b"});
  calls.back().request.set_call_id("id3");
  calls.push_back({.tool_call_id = "c4",
                   .tool = "z",
                   .refused = wire::Problem{.error = {ErrorCode::kUnknownTool, "unknown tool z"},
                                            .suggestions = {"x.a"}}});
  const auto answer = Json::parse(tool_calls_json(std::nullopt, calls, "r1"));
  ASSERT_EQ(answer.size(), 1U);
  const auto& results = answer["results"];
  ASSERT_EQ(results.size(), 4U);
  EXPECT_EQ(results[0]["id"], "c1");
  EXPECT_EQ(results[0]["call_id"], "id1");
  EXPECT_EQ(results[0]["outcome"], "succeeded");
  EXPECT_EQ(results[0]["result"], Json({{"n", 1}})) << "as JSON";
  EXPECT_EQ(results[0]["content"][0]["mime_type"], "image/png") << "and its blocks";
  EXPECT_EQ(results[0]["text"], "[image image/png, 3 bytes]") << "and as a model reads it";
  EXPECT_EQ(results[0]["is_error"], false);
  EXPECT_EQ(results[1]["error"]["code"], "no_stock");
  EXPECT_EQ(results[1]["text"], "tool_error: none left");
  EXPECT_EQ(results[1]["is_error"], true);
  EXPECT_EQ(results[2]["status"], "detached");
  EXPECT_EQ(results[2]["outcome"], nullptr);
  EXPECT_EQ(results[2]["is_error"], false);
  EXPECT_EQ(results[3]["status"], "refused");
  EXPECT_EQ(results[3]["call_id"], nullptr);
  EXPECT_EQ(results[3]["error"]["code"], "unknown_tool");
  EXPECT_EQ(results[3]["error"]["details"]["suggestions"], Json::array({"x.a"}));
  EXPECT_EQ(tool_calls_json(std::nullopt, {}, "r"), R"({"results":[]})");
}

}  // namespace
}  // namespace toolway::gateway::calls
