#include <sys/stat.h>

#include "tests/unit/tools/executors/mock/mock_fixture.h"

namespace toolway::tools::executors::mock {
namespace {

class RecordingTest : public MockTest {
 protected:
  /// Runs a real tool under a recorder; returns the file's text.
  std::string record(
      const Body& body, const std::vector<Json>& calls,
      std::shared_ptr<const model::Secrets> secrets = std::make_shared<const model::Secrets>()) {
    const auto made = mocks({.record = directory_ / "calls.ndjson", .secrets = secrets});
    const auto tool = *model::register_tool(
        made->recorded(std::make_shared<RealTool>(spec(), body)), model::SchemaChecks::kByRun);
    for (const auto& arguments : calls) ends_ += said(run(*tool, arguments)) + "\n";
    return read("calls.ndjson");
  }
  std::string ends_;
};

model::Execution reverses(const Json& arguments, model::ToolContext&, model::Progress& progress) {
  progress.report({.progress = 1, .total = 2, .message = "half", .data = {{"a", 1}}});
  const auto q = arguments.value("q", "");
  if (q == "fail") {
    model::ToolError error("upstream", "no answer");
    error.retryable = true;
    error.retry_after = std::chrono::milliseconds(70);
    error.details = {{"status", 503}};
    return tl::unexpected(error);
  }
  return Json(std::string(q.rbegin(), q.rend()));
}

TEST_F(RecordingTest, IsReplayedByToolAndArguments) {
  record(&reverses, {{{"q", "abc"}}, {{"q", "fail"}}});
  const auto expected = ends_;
  const auto replay = mocks({.files = {directory_ / "calls.ndjson"}, .speed = 0});
  EXPECT_EQ(said(run(*replay, {{"q", "abc"}})) + "\n" + said(run(*replay, {{"q", "fail"}})) + "\n",
            expected);
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_EQ(reports_[0].message, "half");
  EXPECT_EQ(to_text(reports_[0].data), R"({"a":1})");
  EXPECT_EQ(pauses_, (std::vector<std::int64_t>{0, 0}));
  const auto again = run(*replay, {{"q", "fail"}});
  EXPECT_TRUE(again.error().retryable);
  EXPECT_EQ(again.error().retry_after->count(), 70);
  EXPECT_EQ(to_text(again.error().details), R"({"status":503})");
}

TEST_F(RecordingTest, WithoutAMatchSaysTheNearest) {
  record(&reverses, {{{"q", "abc"}}});
  const auto replay = mocks({.files = {directory_ / "calls.ndjson"}});
  const auto end = run(*replay, {{"q", "abd"}});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, "mock_no_match");
  EXPECT_NE(end.error().message.find("calls.ndjson:1: /q is \"abd\", not \"abc\""),
            std::string::npos)
      << end.error().message;
}

TEST_F(RecordingTest, KeepsTheRecordedTimesOrScalesThem) {
  const auto file = write(
      "calls.jsonl",
      R"({"tool":"test.tool","arguments":{},"progress":[{"after_ms":100,"progress":1}],"result":"x","duration_ms":300})");
  (void)run(*mocks({.files = {file}}));
  EXPECT_EQ(pauses_, (std::vector<std::int64_t>{100, 200}));
  (void)run(*mocks({.files = {file}, .speed = 10}));
  EXPECT_EQ(pauses_, (std::vector<std::int64_t>{10, 20}));
}

TEST_F(RecordingTest, TheSameCallAgainIsAnsweredInOrder) {
  int calls = 0;
  record(
      [&](const Json&, model::ToolContext&, model::Progress&) {
        return model::Execution(Json("pending " + std::to_string(++calls)));
      },
      {Json::object(), Json::object()});
  const auto replay = mocks({.files = {directory_ / "calls.ndjson"}});
  EXPECT_EQ(said(run(*replay)), "\"pending 1\"");
  EXPECT_EQ(said(run(*replay)), "\"pending 2\"");
  EXPECT_EQ(said(run(*replay)), "\"pending 2\"");
}

TEST_F(RecordingTest, BracesInARecordedResultAreBraces) {
  const auto file =
      write("calls.ndjson", R"({"tool":"test.tool","arguments":{"q":"x"},"result":"{{q}}"})");
  EXPECT_EQ(said(run(*mocks({.files = {file}}), {{"q", "x"}})), "\"{{q}}\"");
}

TEST_F(RecordingTest, HoldsNoSecret) {
  const std::string key = "s3cr\"et/+ü=";
  write("API_KEY", key + "\n");
  write("PIN", "8421");
  const auto secrets = std::make_shared<const model::Secrets>(
      directory_.path(), model::Secrets::Values{{"TOKEN", "tok-en"}});
  const auto text = record(
      [&](const Json& arguments, model::ToolContext&,
          model::Progress& progress) -> model::Execution {
        progress.report({.message = "asks with " + key, .data = {{key, "x=tok-en"}}});
        // Replaced while the tool runs: what it was is kept out as well.
        write("API_KEY", "rotated");
        if (arguments["q"] == "fail") {
          model::ToolError error("e", "for https://h/?key=s3cr%22et%2F%2B%C3%BC%3D");
          error.details = {{"key", key}, {"basic", "czNjciJldC8rw7w9"}, {"new", "rotated"}};
          return tl::unexpected(error);
        }
        return Json{{"headers", {"Bearer tok-en", 8421, "pin 8421!"}},
                    {"raw", to_text(Json{{"k", key}})}};
      },
      {{{"q", "uses " + key}}, {{"q", "fail"}}}, secrets);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
  for (const char* hidden : {"s3cr", "tok-en", "8421", "rotated", "czNjc"})
    EXPECT_EQ(text.find(hidden), std::string::npos) << hidden << " in\n" << text;
  EXPECT_NE(text.find("asks with [secret]"), std::string::npos) << text;
  struct stat file{};
  ASSERT_EQ(stat((directory_ / "calls.ndjson").c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600U);
  // Arguments with a secret in them are found again.
  write("API_KEY", key);
  const auto replay = mocks({.files = {directory_ / "calls.ndjson"}, .secrets = secrets});
  EXPECT_EQ(said(run(*replay, {{"q", "uses " + key}})).substr(0, 11), R"({"headers":)");
}

TEST_F(RecordingTest, WhatWasStoppedIsNotRecorded) {
  EXPECT_EQ(record(
                [this](const Json&, model::ToolContext&, model::Progress&) -> model::Execution {
                  context_.stop.request_stop();
                  return tl::unexpected(model::ToolError("cancelled", "stopped"));
                },
                {Json::object()}),
            "");
}

TEST_F(RecordingTest, LinesThatAreNotARecordedCallAreMistakes) {
  const auto wrong = [this](const std::string& line) {
    const auto file = read_recordings(line, "f");
    return file.mistakes.empty() ? std::string() : file.mistakes[0].text();
  };
  EXPECT_EQ(wrong(R"({"tool": "a.b", "result": 1})"), "");
  EXPECT_EQ(wrong(R"(\n[])").substr(0, 4), "f:1:");
  EXPECT_EQ(wrong(R"([])"), "f:1: a recorded call must be an object");
  EXPECT_EQ(wrong(R"({"tool": "a.*", "result": 1})"), "f:1: `tool` must be namespace.name");
  EXPECT_EQ(wrong(R"({"tool": "a.b"})"),
            "f:1: a recorded call must have either `result` or `error`");
  EXPECT_EQ(wrong(R"({"tool": "a.b", "result": 1, "error": {"code": "x"}})"),
            "f:1: a recorded call must have either `result` or `error`");
  EXPECT_EQ(wrong(R"({"tool": "a.b", "error": {}})"),
            "f:1: `error` must be an object with a `code`");
  EXPECT_EQ(wrong(R"({"tool": "a.b", "result": 1, "arguments": []})"),
            "f:1: `arguments` must be an object");
  EXPECT_EQ(wrong(R"({"tool": "a.b", "result": 1, "digest": "sha256:0"})"),
            "f:1: `digest` is not that of `arguments`; after changing them, leave it out");
  EXPECT_EQ(wrong(R"({"tool": "a.b", "result": 1, "duration_ms": -1})"),
            "f:1: `duration_ms` must be whole milliseconds");
  EXPECT_EQ(
      wrong(R"({"tool": "a.b", "result": 1, "progress": [{"after_ms": 2}, {"after_ms": 1}]})"),
      "f:1: `after_ms` of a report is less than that of the one before");
  EXPECT_EQ(wrong(R"({"tool": "a.b", "result": 1, "resul": 1})").substr(0, 25),
            "f:1: unknown field `resul");
}

TEST_F(RecordingTest, IsCheckedAgainstTheSpec) {
  const auto made = mocks(
      {.files = {write(
           "calls.ndjson",
           "{\"tool\":\"test.tool\",\"arguments\":{\"q\":5},\"result\":1}\n{\"tool\":\"test.tool\",\"arguments\":{},\"result\":[]}\n")}});
  const auto mistakes = made->check(std::vector<model::Spec>{spec()});
  ASSERT_EQ(mistakes.size(), 2U);
  EXPECT_EQ(mistakes[0].line, 1);
  EXPECT_EQ(mistakes[1].line, 2);
}

}  // namespace
}  // namespace toolway::tools::executors::mock
