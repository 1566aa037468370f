#include "tests/unit/tools/executors/mock/mock_fixture.h"

namespace toolway::tools::executors::mock {
namespace {

TEST_F(MockTest, AnswersWithProgressAndAResultMadeOfTheArguments) {
  const auto made = script(R"(mocks:
  - tool: test.*
    delay_ms: 100
    progress:
      - {after_ms: 20, total: 2, message: "looking for {{q}}"}
      - {after_ms: 50, data: {q: "{{q}}"}}
    result: {found: "{{q}}", count: "{{$count}}"}
)");
  EXPECT_EQ(said(run(*made, {{"q", "x"}})), R"({"count":1,"found":"x"})");
  EXPECT_EQ(pauses_, (std::vector<std::int64_t>{20, 30, 50}));
  ASSERT_EQ(reports_.size(), 2U);
  EXPECT_EQ(reports_[0].message, "looking for x");
  EXPECT_EQ(to_text(reports_[1].data), R"({"q":"x"})");
  // The schema's default is filled in, for templates and for `when`.
  EXPECT_EQ(said(run(*made)), R"({"count":2,"found":"none"})");
  EXPECT_NE(context_.logged().at(0).second.find("mocks.yaml:2"), std::string::npos);
}

TEST_F(MockTest, ChecksArgumentsAndResultsOfNativeToolsToo) {
  const auto made = script(
      "mocks: [{tool: '*', when: {arguments: {q: bad}}, result: [1]}, {tool: '*', result: fine}]");
  for (const auto kind : {model::Kind::kNative, model::Kind::kPython}) {
    EXPECT_EQ(said(run(*made, {{"q", 5}}, spec(kind))).substr(0, 17), "invalid_arguments");
    EXPECT_EQ(said(run(*made, {{"q", "bad"}}, spec(kind))).substr(0, 14), "invalid_result");
    EXPECT_EQ(said(run(*made, {{"q", "good"}}, spec(kind))), "\"fine\"");
  }
}

TEST_F(MockTest, GivesAnErrorAsItIsWritten) {
  const auto made = script(R"(mocks:
  - tool: test.tool
    error: {code: rate_limited, message: "no {{q}} today", retryable: true, retry_after_ms: 40, details: {q: "{{q}}"}}
)");
  const auto end = run(*made, {{"q", "x"}});
  ASSERT_FALSE(end);
  EXPECT_EQ(said(end), "rate_limited: no x today");
  EXPECT_TRUE(end.error().retryable);
  EXPECT_EQ(end.error().retry_after->count(), 40);
  EXPECT_EQ(to_text(end.error().details), R"({"q":"x"})");
}

TEST_F(MockTest, CrashesAndHangs) {
  const auto made = script(R"(mocks:
  - {tool: test.tool, when: {arguments: {q: tool}}, crash: tool}
  - {tool: test.tool, when: {arguments: {q: worker}}, crash: worker}
  - {tool: test.tool, when: {arguments: {q: hang}}, hang: true}
)");
  EXPECT_EQ(said(run(*made, {{"q", "tool"}})).substr(0, 12), "tool_crashed");
  EXPECT_FALSE(ended_);
  (void)run(*made, {{"q", "worker"}});
  EXPECT_TRUE(ended_);
  EXPECT_FALSE(hung_);
  (void)run(*made, {{"q", "hang"}});
  EXPECT_TRUE(hung_);
}

TEST_F(MockTest, IsCancelledBetweenReports) {
  const auto made = script(
      "mocks: [{tool: test.tool, delay_ms: 1000, progress: [{after_ms: 10}, {after_ms: 500}], result: late}]");
  on_pause_ = [this] {
    if (pauses_.size() == 2) context_.stop.request_stop();
  };
  EXPECT_EQ(said(run(*made)).substr(0, 9), "cancelled");
  EXPECT_EQ(reports_.size(), 1U);
}

TEST_F(MockTest, UsesAnswersUpInTheirOrder) {
  const auto made = script(
      "mocks: [{tool: test.tool, answers: [{result: a, times: 2}, {error: {code: full}, times: 1}, {result: b}]}]");
  std::string all;
  for (int i = 0; i < 5; ++i) all += said(run(*made)) + " ";
  EXPECT_EQ(all, R"("a" "a" full: a mock's error, full "b" "b" )");
}

TEST_F(MockTest, GivesAnswersInTurn) {
  const auto made = script(
      "mocks: [{tool: test.tool, order: round_robin, answers: [{result: a}, {result: b, times: 1}, {result: c}]}]");
  std::string all;
  for (int i = 0; i < 6; ++i) all += said(run(*made));
  EXPECT_EQ(all, R"("a""b""c""a""c""a")");
}

TEST_F(MockTest, DrawsDelaysFromItsSeed) {
  const auto delays = [this](const char* seed) {
    const auto made = script(std::string("mocks: [{tool: test.tool, seed: ") + seed +
                             ", delay_ms: [10, 1000], result: a}]");
    std::vector<std::int64_t> all;
    for (int i = 0; i < 5; ++i) {
      (void)run(*made);
      all.push_back(pauses_.at(0));
    }
    return all;
  };
  const auto first = delays("3");
  EXPECT_EQ(first, delays("3"));
  EXPECT_NE(first, delays("4"));
  for (const auto delay : first) EXPECT_TRUE(delay >= 10 && delay <= 1000) << delay;
}

TEST_F(MockTest, SaysWhichAnswersAreNearestWhenNoneFits) {
  const auto made = script(R"(mocks:
  - tool: test.tool
    answers:
      - {when: {arguments: {q: a, n: 1, m: 2}}, result: far}
      - {when: {arguments: {q: a}}, result: near}
)");
  const auto end = run(*made, {{"q", "b"}});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, "mock_no_match");
  EXPECT_NE(end.error().message.find("nearest: " + (directory_ / "mocks.yaml") +
                                     ":5: /q is \"b\", not \"a\"; "),
            std::string::npos)
      << end.error().message;
  EXPECT_EQ(end.error().details["candidates"].size(), 2U);
  EXPECT_FALSE(end.error().retryable);
}

TEST_F(MockTest, RunsOrRefusesWhatNoMockIsFor) {
  const auto file = write("mocks.yaml", "mocks: [{tool: other.tool, result: 1}]");
  EXPECT_EQ(mocks({.files = {file}})->instead_of(spec()), nullptr);
  const auto only = mocks({.files = {file}, .unmocked = Unmocked::kRefused});
  EXPECT_EQ(said(run(*only)).substr(0, 58),
            "mock_no_match: test.tool has no mock, and this worker runs");
}

TEST_F(MockTest, AMissingArgumentIsSaid) {
  const auto made = script("mocks: [{tool: test.tool, result: '{{other}}'}]");
  EXPECT_NE(said(run(*made)).find("cannot be filled in: argument /other is not given"),
            std::string::npos);
}

TEST_F(MockTest, ChecksAnswersAgainstTheSpec) {
  auto strict = spec();
  strict.input_schema["additionalProperties"] = false;
  strict.multi_step = false;
  const auto made = script(R"(mocks:
  - tool: test.tool
    answers:
      - {result: [1]}
      - {result: "{{p}}"}
      - {result: ["{{q}}"]}
      - {result: fine, progress: [{after_ms: 1}]}
  - {tool: other.tool, result: [1]}
)");
  std::string found;
  for (const auto& mistake : made->check(std::vector<model::Spec>{strict}))
    found += std::to_string(mistake.line) + ": " + mistake.message + "\n";
  EXPECT_EQ(found.substr(0, found.find(": expected")),
            "4: the result does not match the output schema of test.tool")
      << found;
  EXPECT_NE(found.find("5: test.tool has no argument `p`\n"), std::string::npos) << found;
  EXPECT_NE(found.find("7: test.tool is not multi_step"), std::string::npos) << found;
  EXPECT_EQ(std::count(found.begin(), found.end(), '\n'), 3) << found;
}

TEST_F(MockTest, FilesWithMistakesAreRefusedAllTogether) {
  const auto a = write("a.yaml", "mocks:\n  - {tool: x}\n");
  const auto b = write("b.ndjson", "\n{\"tool\": \"a.b\"}\nnonsense\n");
  const auto made = Mocks::create({.files = {a, b, directory_ / "none.yaml"}});
  ASSERT_FALSE(made);
  for (const auto& where : {a + ":2: ", b + ":2: ", b + ":3: ",
                            directory_ / "none.yaml" + std::string(":1: cannot be read")}) {
    EXPECT_NE(made.error().message.find(where), std::string::npos) << made.error().message;
  }
}

}  // namespace
}  // namespace toolway::tools::executors::mock
