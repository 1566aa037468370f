#include <gtest/gtest.h>

#include <fstream>

#include "tests/e2e/dev/dev_stack.h"

namespace toolway::cli {
namespace {

constexpr const char* kSpecs = R"(tools:
  - {name: search, namespace: web, kind: python, idempotent: true, multi_step: true, limits: {run_ms: 400},
     retry: {max_attempts: 2, initial_delay_ms: 1},
     input_schema: {type: object, required: [query], properties: {query: {type: string}, n: {type: integer, default: 3}}},
     output_schema: {type: object, required: [query]},
     implementation_config: {module: not_there, function_name: search}}
  - {name: post, namespace: web, kind: python, input_schema: {type: object},
     implementation_config: {module: not_there, function_name: post}}
)";

constexpr const char* kMocks = R"(mocks:
  - tool: web.search
    answers:
      - {when: {arguments: {query: busy}}, error: {code: busy, message: later, retryable: true}, times: 1}
      - {when: {arguments: {query: wrong}}, error: {code: refused, message: "no {{query}}"}}
      - {when: {arguments: {query: hang}}, hang: true}
      - {when: {pointers: {/query: invalid}}, result: {results: "{{n}}"}}
      - when: {schema: {properties: {query: {maxLength: 20}}}}
        delay_ms: [5, 20]
        progress: [{after_ms: 1, total: 2, message: "searching for {{query}}"}]
        result: {query: "{{query}}", n: "{{n}}"}
  - {tool: time.get_current_time, result: {iso8601: x, unix: 1, timezone: UTC, utc_offset: "+00:00"}}
  - {tool: web.post, crash: worker}
)";

class MockDev : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(dir_ / name, std::ios::binary) << text;
    return dir_ / name;
  }
  OrderedJson call(const Dev& dev, const std::string& tool, const OrderedJson& arguments) {
    const auto ran = run_toolway(
        dir_, {"call", tool, to_text(arguments), "--session", "mock", "--wait", "-o", "json"},
        {{"TOOLWAY_URL", dev.url()}, {"TOOLWAY_USER", "ann"}});
    EXPECT_TRUE(ran.json().is_object()) << ran.output;
    return ran.json();
  }
  std::string code(const OrderedJson& call) {
    return call.contains("error") && call["error"].is_object() ? call["error"]["code"] : "";
  }

  const test::TempDir dir_;
};

TEST_F(MockDev, AnswersEveryToolWithoutWhatItNeeds) {
  Dev dev(dir_, {"--specs", write("tools.yaml", kSpecs), "--mock", write("mocks.yaml", kMocks),
                 "--mock", write("later.yaml", "mocks: [{tool: not.there_yet, result: 1}]"),
                 "--mock-only", "--python", "/none"});
  ASSERT_TRUE(dev.ready().is_object()) << dev.log();
  const auto found = call(dev, "web.search", {{"query", "toolway"}});
  EXPECT_EQ(found["outcome"], "succeeded") << found;
  EXPECT_EQ(to_text(found["result"]), R"({"n":3,"query":"toolway"})");
  EXPECT_EQ(call(dev, "time.get_current_time", OrderedJson::object())["result"]["iso8601"], "x");

  const auto events =
      run_toolway(dir_,
                  {"call", "web.search", R"({"query":"events"})", "--session", "mock", "--follow"},
                  {{"TOOLWAY_URL", dev.url()}, {"TOOLWAY_USER", "ann"}})
          .output;
  for (const char* line : {"1/2 searching for events", "answered by ", "mocks.yaml:8"})
    EXPECT_NE(events.find(line), std::string::npos) << events;

  const auto again = call(dev, "web.search", {{"query", "busy"}});
  EXPECT_EQ(again["outcome"], "succeeded") << again;
  const auto wrong = call(dev, "web.search", {{"query", "wrong"}});
  EXPECT_EQ(wrong["outcome"], "failed");
  EXPECT_EQ(code(wrong), "refused");
  EXPECT_EQ(code(call(dev, "web.search", {{"query", "invalid"}})), "invalid_result");
  EXPECT_EQ(code(call(dev, "web.search", {{"query", "longer than any of them"}})), "mock_no_match");
  const auto refused = call(dev, "filesystem.list_directory", OrderedJson::object());
  EXPECT_EQ(code(refused), "mock_no_match") << refused;
  const auto hung = call(dev, "web.search", {{"query", "hang"}});
  EXPECT_EQ(hung["outcome"], "timed_out") << hung;
  EXPECT_EQ(code(hung), "run_limit_exceeded");

  // Workers announce themselves every two seconds.
  EXPECT_TRUE(wait_for([&] {
    return run_toolway(dir_, {"workers"}, {{"TOOLWAY_URL", dev.url()}})
               .output.find("running, mocked") != std::string::npos;
  }));
  const auto log = text_of(dir_ / "data/logs/worker-0.log");
  EXPECT_NE(log.find("MOCKED: "), std::string::npos) << log;
  EXPECT_NE(log.find("MOCK ONLY: "), std::string::npos) << log;
}

TEST_F(MockDev, AWorkerThatCrashesLeavesTheOutcomeUnknown) {
  Dev dev(dir_, {"--specs", write("tools.yaml", kSpecs), "--mock", write("mocks.yaml", kMocks),
                 "--mock-only"});
  ASSERT_TRUE(dev.ready().is_object()) << dev.log();
  const auto ran = run_toolway(dir_, {"call", "web.post", "{}", "--session", "mock", "-o", "json"},
                               {{"TOOLWAY_URL", dev.url()}, {"TOOLWAY_USER", "e2e"}});
  const auto id = ran.json().value("call_id", "");
  ASSERT_FALSE(id.empty()) << ran.output;
  EXPECT_TRUE(wait_for(
      [&] { return shown_call(dev.url(), id).value("outcome", OrderedJson()) == "unknown"; },
      std::chrono::seconds(120)))
      << shown_call(dev.url(), id);
  EXPECT_TRUE(dev.says("worker-0 ended with status")) << dev.log();
}

TEST_F(MockDev, WhatWasRecordedIsReplayed) {
  const auto calls = dir_ / "calls.ndjson";
  OrderedJson recorded;
  {
    Dev dev(dir_, {"--record", calls}, {{"TOOLWAY_SECRET_WORD", "Example"}});
    ASSERT_TRUE(dev.ready().is_object()) << dev.log();
    recorded = call(dev, "filesystem.read_file", {{"path", "examples/tools/README.md"}});
    EXPECT_TRUE(recorded["result"]["content"].get<std::string>().starts_with("# Example tools\n"))
        << recorded;
    EXPECT_EQ(code(call(dev, "filesystem.read_file", {{"path", "none.txt"}})), "not_found");
    dev.process->signal(SIGINT);
    dev.process->wait(std::chrono::seconds(60));
  }
  EXPECT_EQ(text_of(calls).find("Example"), std::string::npos) << text_of(calls);
  const test::TempDir other;
  Dev dev(other, {"--mock", calls, "--mock-only", "--mock-speed", "0"});
  ASSERT_TRUE(dev.ready().is_object()) << dev.log();
  const auto replayed = call(dev, "filesystem.read_file", {{"path", "examples/tools/README.md"}});
  EXPECT_TRUE(replayed["result"]["content"].get<std::string>().starts_with("# [secret] tools\n"))
      << replayed;
  EXPECT_EQ(replayed["result"]["size"], recorded["result"]["size"]);
  EXPECT_EQ(code(call(dev, "filesystem.read_file", {{"path", "none.txt"}})), "not_found");
  const auto missing = call(dev, "filesystem.read_file", {{"path", "examples/tools/READ.md"}});
  EXPECT_EQ(code(missing), "mock_no_match");
  EXPECT_NE(
      missing["error"]["message"].get<std::string>().find(
          calls + ":1: /path is \"examples/tools/READ.md\", not \"examples/tools/README.md\""),
      std::string::npos)
      << missing;
}

TEST_F(MockDev, MistakesAreSaidBeforeAnythingStarts) {
  const auto specs = write("tools.yaml", kSpecs);
  const auto mocks =
      write("mocks.yaml",
            "mocks:\n  - {tool: web.search, result: {}}\n  - {tool: web.serch, result: 1}\n");
  const auto checked = run_toolway(dir_, {"mock", "check", mocks, "--specs", specs});
  EXPECT_EQ(checked.status, 2);
  EXPECT_NE(
      checked.output.find(mocks + ":2: the result does not match the output schema of web.search"),
      std::string::npos)
      << checked.output;
  EXPECT_NE(checked.output.find(
                mocks + ":3: these specs have no tool web.serch; did you mean 'web.search'?"),
            std::string::npos)
      << checked.output;
  const auto started =
      run_toolway(dir_, {"dev", "--data", dir_ / "data", "--specs", specs, "--mock", mocks});
  EXPECT_EQ(started.status, 2);
  EXPECT_EQ(started.output.substr(0, mocks.size() + 3), mocks + ":2:") << started.output;
  const auto fine =
      run_toolway(dir_, {"mock", "check", write("fine.yaml", kMocks), "--specs", specs});
  EXPECT_EQ(fine.output, "3 mocks\n");
  EXPECT_EQ(
      run_toolway(dir_, {"mock", "check", write("bad.yaml", "mocks: [{tool: x}]"), "-o", "json"})
          .json()["mistakes"]
          .size(),
      2U);
}

}  // namespace
}  // namespace toolway::cli
