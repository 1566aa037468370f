#include "tools/exports/process_tool_calls.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/unit/tools/exports/export_specs.h"

namespace toolway::tools::exports {
namespace {

TEST(PrettyJson, IsIndentedByTwoSpaces) {
  for (const char* text : {"null", "7", "\"a\"", "{}", "[]",
                           R"({"a":[1,{"b":{}},[]],"c":"{[,:]}\"\\"})", "[ [ ] , { } , 1 ]"}) {
    EXPECT_EQ(pretty_json(text), OrderedJson::parse(text).dump(2)) << text;
  }
}

TEST(PrettyJson, KeepsNumbersAndOrderAndIsNotBlownUp) {
  EXPECT_EQ(pretty_json(R"({"z":1.0e2,"a":12345678901234567890123,"z":"\u0000"})"),
            "{\n  \"z\": 1.0e2,\n  \"a\": 12345678901234567890123,\n  \"z\": \"\\u0000\"\n}");
  const std::size_t deep = 10'000;
  EXPECT_LT(pretty_json(std::string(deep, '[') + "1" + std::string(deep, ']')).size(),
            deep * 2 * 140);
}

TEST(ModelText, ShowsStringsAsTheyAre) {
  EXPECT_EQ(model_text(R"("a\n\"b\"")"), "a\n\"b\"");
  EXPECT_EQ(model_text(" \"x\" "), "x");
  EXPECT_EQ(model_text(""), "null");
  EXPECT_EQ(model_text("null"), "null");
  EXPECT_EQ(model_text("[1]"), "[\n  1\n]");
  EXPECT_EQ(model_text(R"("\ud800")"), R"("\ud800")");
}

class ProcessToolCalls : public testing::Test {
 protected:
  void SetUp() override {
    add({.name = "echo",
         .input_schema = {{"type", "object"}, {"properties", {{"n", {{"type", "integer"}}}}}}});
    add({.name = "fails", .ns = "x"},
        [](const Json&, model::ToolContext&, model::Progress&) -> model::Execution {
          return tl::unexpected(model::ToolError("quota_exceeded", "the daily quota is used up"));
        });
    add({.name = "text", .ns = "x"}, [](const Json&, model::ToolContext&, model::Progress&) {
      return model::Execution(Json("plain\ntext"));
    });
    add({.name = "nothing", .ns = "x"}, [](const Json&, model::ToolContext&, model::Progress&) {
      return model::Execution(Json());
    });
    add({.name = "who", .ns = "x"}, [](const Json&, model::ToolContext& context, model::Progress&) {
      return model::Execution(
          Json(context.session_id() + " " + context.user_id() + " " + context.call_id()));
    });
    add({.name = "picture", .ns = "x"},
        [](const Json& arguments, model::ToolContext& context,
           model::Progress&) -> model::Execution {
          context.add_content({.type = "image", .data = "abc", .mime_type = "image/png"});
          if (arguments.contains("fails")) return tl::unexpected(model::ToolError("x", "no"));
          return Json("seen");
        });
    model::Spec steps{.name = "steps", .ns = "x", .multi_step = true};
    steps.result.aggregate = model::Aggregate::kBlocks;
    add(steps, [](const Json&, model::ToolContext&, model::Progress& progress) {
      progress.report({.progress = 1, .data = 1});
      progress.report({.progress = 2, .data = 2});
      return model::Execution(Json());
    });
  }
  void add(model::Spec spec, native::NativeTool::Body body = {}) {
    ASSERT_TRUE(registry_.add(test::any_tool(std::move(spec), std::move(body))));
  }

  static Json message(const std::vector<std::pair<std::string, std::string>>& calls) {
    Json list = Json::array();
    for (std::size_t i = 0; i < calls.size(); ++i) {
      list.push_back({{"id", "c" + std::to_string(i)},
                      {"type", "function"},
                      {"function", {{"name", calls[i].first}, {"arguments", calls[i].second}}}});
    }
    return {{"role", "assistant"}, {"tool_calls", list}};
  }

  model::Registry registry_;
};

TEST_F(ProcessToolCalls, GivesOneResultPerCallInOrder) {
  const auto results = process_tool_calls(registry_,
                                          message({{"echo", R"({"n":1})"},
                                                   {"x__fails", "{}"},
                                                   {"x__text", "{}"},
                                                   {"nothing", ""},
                                                   {"ecko", "{}"},
                                                   {"echo", R"({"n":"one"})"},
                                                   {"echo", "{\"n\":"},
                                                   {"x.steps", "{}"}}),
                                          ModelApi::kOpenAi);
  ASSERT_TRUE(results);
  std::vector<std::string> texts;
  for (const auto& one : messages_to_append(ModelApi::kOpenAi, *results)) {
    EXPECT_EQ(one["role"], "tool");
    EXPECT_EQ(one["tool_call_id"], "c" + std::to_string(texts.size()));
    EXPECT_EQ((*results)[texts.size()].is_error,
              one["content"].get<std::string>().starts_with("tool_error: "));
    texts.push_back(one["content"]);
  }
  ASSERT_EQ(texts.size(), 8U);
  EXPECT_EQ(texts[0], "{\n  \"n\": 1\n}");
  EXPECT_EQ(texts[1], "tool_error: the daily quota is used up");
  EXPECT_EQ(texts[2], "plain\ntext");
  EXPECT_EQ(texts[3], "null");
  EXPECT_EQ(texts[4], "tool_error: unknown tool ecko; did you mean 'echo'?");
  EXPECT_EQ(texts[5], "tool_error: /n: expected integer, found string");
  EXPECT_TRUE(texts[6].starts_with("tool_error: the arguments are not JSON: ")) << texts[6];
  EXPECT_EQ(texts[7], "[\n  1,\n  2\n]");
}

TEST_F(ProcessToolCalls, SeesItsNamespacesOnlyAndKnowsWhoAsks) {
  std::vector<std::string> reports;
  ProcessOptions options{.namespaces = {"x"}, .session = "chat", .user = "ann"};
  options.progress = [&](const std::string& id, const model::ProgressReport& report) {
    reports.push_back(id + ":" + to_text(report.data));
  };
  const auto results =
      process_tool_calls(registry_, message({{"echo", "{}"}, {"who", "{}"}, {"steps", "{}"}}),
                         ModelApi::kOpenAi, options);
  ASSERT_TRUE(results);
  EXPECT_TRUE((*results)[0].is_error);
  EXPECT_EQ((*results)[1].json, "chat ann c1");
  EXPECT_EQ(reports, (std::vector<std::string>{"c2:1", "c2:2"}));
}

TEST_F(ProcessToolCalls, GivesWhatAToolAddsWhenItSucceeds) {
  const auto results = process_tool_calls(
      registry_, message({{"picture", "{}"}, {"picture", R"({"fails":true})"}, {"picture", "{}"}}),
      ModelApi::kOpenAi);
  ASSERT_TRUE(results);
  for (const std::size_t i : {0U, 2U}) {
    ASSERT_EQ((*results)[i].content.size(), 1U) << "of each call its own";
    EXPECT_EQ((*results)[i].content[0].data, "abc");
  }
  EXPECT_TRUE((*results)[1].content.empty());
  EXPECT_EQ(messages_to_append(ModelApi::kOpenAi, *results)[0]["content"], "seen");
}

TEST_F(ProcessToolCalls, AnswersAnthropicInOneMessage) {
  const Json asked = Json::parse(
      R"({"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"echo","input":{"n":1}},
    {"type":"tool_use","id":"t2","name":"fails","input":{}}]})");
  const auto results = process_tool_calls(registry_, asked, ModelApi::kAnthropic);
  ASSERT_TRUE(results);
  EXPECT_EQ(
      to_text(messages_to_append(ModelApi::kAnthropic, *results)),
      R"([{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"{\n  \"n\": 1\n}"},)"
      R"({"type":"tool_result","tool_use_id":"t2","content":"tool_error: the daily quota is used up","is_error":true}]}])");
  EXPECT_EQ(to_text(messages_to_append(ModelApi::kAnthropic, std::vector<ToolCallResult>{})), "[]");
}

TEST_F(ProcessToolCalls, AnswersResponsesByItem) {
  const Json asked = Json::parse(
      R"({"output":[{"type":"function_call","call_id":"c1","name":"text","arguments":"{}"},
    {"type":"custom_tool_call","call_id":"c2","name":"text","input":"x"}]})");
  const auto results = process_tool_calls(registry_, asked, ModelApi::kOpenAiResponses);
  ASSERT_TRUE(results);
  EXPECT_EQ(
      to_text(messages_to_append(ModelApi::kOpenAiResponses, *results)),
      R"([{"type":"function_call_output","call_id":"c1","output":"plain\ntext"},)"
      R"({"type":"custom_tool_call_output","call_id":"c2","output":"tool_error: only calls of type function are run"}])");
}

TEST_F(ProcessToolCalls, AMessageWithoutCallsHasNothingToAppend) {
  const auto results = process_tool_calls(registry_, Json{{"role", "assistant"}, {"content", "hi"}},
                                          ModelApi::kOpenAi);
  ASSERT_TRUE(results);
  EXPECT_EQ(to_text(messages_to_append(ModelApi::kOpenAi, *results)), "[]");
  EXPECT_FALSE(process_tool_calls(registry_, Json(7), ModelApi::kOpenAi));
}

}  // namespace
}  // namespace toolway::tools::exports
