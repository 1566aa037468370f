#include "tools/executors/mock/mock_reader.h"

#include <gtest/gtest.h>

namespace toolway::tools::executors::mock {
namespace {

std::vector<std::string> mistakes_of(const std::string& text) {
  std::vector<std::string> found;
  for (const auto& mistake : read_mocks(text, "f").mistakes)
    found.push_back(mistake.text().substr(2));
  return found;
}

TEST(MockReader, ReadsEveryField) {
  const auto document = read_mocks(R"(mocks:
  - tool: web.*
    order: round_robin
    seed: 9
    answers:
      - when: {arguments: {q: a}, pointers: {/n: 1}, schema: {required: [q]}}
        delay_ms: [20, 80]
        times: 2
        progress:
          - {after_ms: 5, progress: 1, total: 2, message: "for {{q}}", step: one, data: {x: "{{q}}"}}
          - {after_ms: 9}
        error: {code: busy, message: later, retryable: true, retry_after_ms: 50, details: {a: 1}}
      - result: {echo: "{{q?}}"}
  - {tool: a.b, crash: worker}
  - {tool: a.c, hang: true, delay_ms: 7}
)",
                                   "f");
  for (const auto& mistake : document.mistakes) ADD_FAILURE() << mistake.text();
  ASSERT_EQ(document.scripts.size(), 3U);
  const auto& script = document.scripts[0];
  EXPECT_EQ(script.tool, "web.*");
  EXPECT_EQ(script.order, MockOrder::kRoundRobin);
  EXPECT_EQ(script.seed, 9U);
  ASSERT_EQ(script.answers.size(), 2U);
  const auto& first = script.answers[0];
  EXPECT_EQ(first.at, "f:6");
  EXPECT_EQ(to_text(first.when.arguments), R"({"q":"a"})");
  EXPECT_EQ(first.when.pointers.size(), 1U);
  EXPECT_TRUE(first.when.schema);
  EXPECT_EQ(first.delay.count(), 20);
  EXPECT_EQ(first.longest_delay.count(), 80);
  EXPECT_EQ(first.times, 2U);
  ASSERT_EQ(first.progress.size(), 2U);
  EXPECT_EQ(first.progress[0].report.step, "one");
  EXPECT_EQ(first.progress[1].after.count(), 9);
  EXPECT_EQ(first.progress[1].report.progress, 2);
  EXPECT_EQ(first.end, MockEnd::kError);
  EXPECT_EQ(first.error.code, "busy");
  EXPECT_TRUE(first.error.retryable);
  EXPECT_EQ(first.error.retry_after->count(), 50);
  EXPECT_EQ(script.result_lines[1], 13);
  EXPECT_EQ(document.scripts[1].answers[0].end, MockEnd::kWorkerCrash);
  EXPECT_EQ(document.scripts[2].answers[0].delay.count(), 7);
}

TEST(MockReader, SaysAllMistakesWithTheirLines) {
  EXPECT_EQ(
      mistakes_of(R"(mocks:
  - {tool: web, result: 1}
  - tool: a.b
    order: any
    answers:
      - {}
      - result: 1
        error: {message: no code}
      - when: {pointers: {q: 1}, schema: {type: strin}}
        delay_ms: [9, 1]
        times: 0
        result: "{{open"
      - progress: [{after_ms: 5}, {after_ms: 4}, {aftr_ms: 1}]
        crash: both
  - answers: []
)"),
      (std::vector<std::string>{
          "2: `tool` must be namespace.name, a pattern such as web.*, or \"*\", not \"web\"",
          "4: `order` must be sequence or round_robin",
          "6: an answer has none of `result`, `error`, `crash`, `hang`: it must say how the call ends",
          "8: `error` has no `code`",
          "8: an answer must have only one of `result`, `error`, `crash`, `hang`",
          "9: \"q\" is not a JSON Pointer, such as /query or /filter/0",
          mistakes_of("mocks: [{tool: a.b, result: 1, when: {schema: {type: strin}}}]")
              .at(0)
              .replace(0, 1, "9"),
          "10: `delay_ms` must be milliseconds, or a range such as [20, 80]",
          "11: `times` must be a whole number from 1 to 1000000000",
          "12: `{{` without `}}` after it; write `{{{{` for two braces",
          "13: `after_ms` is less than that of the report before: each counts from the call's beginning",
          "13: unknown field `aftr_ms`; did you mean `after_ms`?",
          "14: `crash` must be tool or worker", "15: a mock has no `tool`",
          "15: `answers` must be a list of answers"}));
}

TEST(MockReader, RefusesWhatIsNotAFileOfMocks) {
  EXPECT_EQ(mistakes_of(""), std::vector<std::string>{});
  EXPECT_EQ(mistakes_of("tools: []").size(), 2U);
  EXPECT_EQ(
      mistakes_of("[1]"),
      std::vector<std::string>{"1: the file must be a mapping: `mocks:` with a list of mocks"});
  EXPECT_EQ(mistakes_of("mocks: 5"), std::vector<std::string>{"1: `mocks` must be a list"});
  EXPECT_EQ(mistakes_of("mocks: [5]").size(), 1U);
  EXPECT_EQ(mistakes_of(R"({"mocks": [{"tool": "a.b", "result": null}]})"),
            std::vector<std::string>{});
  EXPECT_EQ(mistakes_of("mocks: [").size(), 1U);
  EXPECT_EQ(mistakes_of(R"(mocks: [{tool: a.b, error: {code: ""}}])"),
            std::vector<std::string>{"1: `code` must name the error, such as not_found"});
}

}  // namespace
}  // namespace toolway::tools::executors::mock
