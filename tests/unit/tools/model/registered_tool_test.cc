#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "tools/model/local_context.h"
#include "tools/model/registry.h"

namespace toolway::tools::model {
namespace {

using Body = std::function<Execution(const Json&, Progress&)>;

/// A tool of any kind that runs here.
class AnyTool final : public Tool {
 public:
  AnyTool(Spec spec, Body body) : spec_(std::move(spec)), body_(std::move(body)) {}
  const Spec& spec() const override { return spec_; }
  Execution execute(const Json& arguments, ToolContext&, Progress& progress) const override {
    return body_(arguments, progress);
  }

 private:
  const Spec spec_;
  const Body body_;
};

Spec steps(Aggregate aggregate, std::size_t max_bytes = 1000) {
  Spec spec{.name = "steps",
            .input_schema = {{"type", "object"}},
            .kind = Kind::kPython,
            .multi_step = true};
  spec.result.aggregate = aggregate;
  spec.result.max_bytes = max_bytes;
  return spec;
}

struct Ran {
  Execution result = Json();
  std::vector<ProgressReport> reports;  ///< as they were passed on
};

Ran run(Spec spec, Body body, const Json& arguments = Json::object()) {
  Ran ran;
  const auto tool = register_tool(std::make_shared<AnyTool>(std::move(spec), std::move(body)));
  EXPECT_TRUE(tool) << tool.error().message;
  LocalContext context;
  std::mutex mutex;
  ProgressTo progress([&](ProgressReport report) {
    const std::scoped_lock lock(mutex);
    ran.reports.push_back(std::move(report));
  });
  ran.result = (*tool)->run(arguments, context, progress);
  return ran;
}

std::string shown(const Ran& ran) {
  return ran.result ? to_text(*ran.result)
                    : ran.result.error().code + ": " + ran.result.error().message;
}

/// Reports 1, nothing, and [2], then returns `result`.
Body reports_then(Json result) {
  return [result](const Json&, Progress& progress) {
    progress.report({.progress = 1, .message = "one", .step = "a", .data = 1});
    progress.report({.progress = 2, .message = "none"});
    progress.report({.progress = 3, .data = Json::array({2})});
    return Execution(result);
  };
}

TEST(Arguments, AreIntegersWhereTheSchemaSaysSo) {
  auto spec = steps(Aggregate::kLast);
  spec.input_schema["properties"] = {{"n", {{"type", "integer"}}}, {"x", {{"type", "number"}}}};
  const Body echo = [](const Json& arguments, Progress&) { return Execution(arguments); };
  EXPECT_EQ(shown(run(spec, echo, {{"n", 2.0}, {"x", 2.0}})), R"({"n":2,"x":2.0})");
  EXPECT_EQ(shown(run(spec, echo, {{"n", 2.5}})).substr(0, 17), "invalid_arguments");
}

TEST(Aggregation, LastIsWhatTheToolReturned) {
  EXPECT_EQ(shown(run(steps(Aggregate::kLast), reports_then("end"))), "\"end\"");
  EXPECT_EQ(shown(run(steps(Aggregate::kLast), reports_then(nullptr))), "null");
}

TEST(Aggregation, BlocksAreTheDataOfEveryReportAndTheResult) {
  EXPECT_EQ(shown(run(steps(Aggregate::kBlocks), reports_then("end"))), "[1,[2],\"end\"]");
  EXPECT_EQ(shown(run(steps(Aggregate::kBlocks), reports_then(nullptr))), "[1,[2]]");
  EXPECT_EQ(shown(run(steps(Aggregate::kBlocks),
                      [](const Json&, Progress&) { return Execution(Json()); })),
            "[]");
}

TEST(Aggregation, StepsAreEveryReportAndTheResultApart) {
  EXPECT_EQ(
      shown(run(steps(Aggregate::kSteps), reports_then(7))),
      R"({"result":7,"steps":[{"data":1,"message":"one","step":"a"},{"data":null,"message":"none","step":""},)"
      R"({"data":[2],"message":"","step":""}]})");
  EXPECT_EQ(shown(run(steps(Aggregate::kSteps),
                      [](const Json&, Progress&) { return Execution(Json()); })),
            R"({"result":null,"steps":[]})");
}

TEST(Aggregation, PassesEveryReportOn) {
  for (const auto aggregate : {Aggregate::kLast, Aggregate::kBlocks, Aggregate::kSteps}) {
    const auto ran = run(steps(aggregate), reports_then(7));
    ASSERT_EQ(ran.reports.size(), 3U);
    EXPECT_EQ(ran.reports[0].data, 1);
    EXPECT_EQ(ran.reports[1].message, "none");
  }
}

TEST(Aggregation, AnErrorEndsIt) {
  for (const auto aggregate : {Aggregate::kLast, Aggregate::kBlocks, Aggregate::kSteps}) {
    const auto ran = run(steps(aggregate), [](const Json&, Progress& progress) -> Execution {
      progress.report({.data = 1});
      ToolError error("quota_exceeded", "used up");
      error.retryable = true;
      return tl::unexpected(error);
    });
    EXPECT_EQ(shown(ran), "quota_exceeded: used up");
    EXPECT_TRUE(ran.result.error().retryable);
    EXPECT_EQ(ran.reports.size(), 1U);
  }
}

TEST(Aggregation, IsOnlyForToolsWithSeveralSteps) {
  Spec spec = steps(Aggregate::kBlocks);
  spec.multi_step = false;
  EXPECT_EQ(shown(run(spec, reports_then("end"))), "\"end\"");
}

TEST(Aggregation, EndsAtExactlyTheCap) {
  for (const auto aggregate : {Aggregate::kBlocks, Aggregate::kSteps}) {
    for (const Json& result : {Json(), Json("end")}) {
      const std::size_t size = shown(run(steps(aggregate), reports_then(result))).size();
      EXPECT_EQ(shown(run(steps(aggregate, size), reports_then(result))).size(), size);
      EXPECT_EQ(shown(run(steps(aggregate, size - 1), reports_then(result))),
                "result_too_large: the result, which is made of the tool's reports, has " +
                    std::to_string(size) + " bytes; the limit is " + std::to_string(size - 1));
    }
  }
}

TEST(Aggregation, SaysByHowMuchItIsTooLargeAndLosesNoReport) {
  const auto ran = run(steps(Aggregate::kBlocks, 100), [](const Json&, Progress& progress) {
    for (int i = 0; i < 1000; ++i) progress.report({.data = "12345678"});
    return Execution(Json());
  });
  EXPECT_EQ(
      shown(ran),
      "result_too_large: the result, which is made of the tool's reports, has 11001 bytes; the limit is 100");
  EXPECT_EQ(ran.reports.size(), 1000U);
}

TEST(Aggregation, TakesReportsFromSeveralThreads) {
  const auto ran = run(steps(Aggregate::kBlocks, 100'000), [](const Json&, Progress& progress) {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&progress] {
        for (int i = 0; i < 500; ++i) progress.report({.data = i});
      });
    }
    threads.clear();
    return Execution(Json());
  });
  ASSERT_TRUE(ran.result);
  EXPECT_EQ(ran.result->size(), 2000U);
}

TEST(Aggregation, IsHeldAgainstTheOutputSchema) {
  Spec spec = steps(Aggregate::kBlocks);
  spec.output_schema = {{"type", "array"}, {"maxItems", 3}};
  EXPECT_EQ(shown(run(spec, reports_then("end"))), "[1,[2],\"end\"]");
  spec.output_schema["maxItems"] = 2;
  EXPECT_TRUE(shown(run(spec, reports_then("end"))).starts_with("invalid_result: "));
  spec.kind = Kind::kNative;  // its own type says nothing about the list
  EXPECT_TRUE(shown(run(spec, reports_then("end"))).starts_with("invalid_result: "));
}

TEST(RegisteredTool, ChecksArgumentsBeforeAndResultsAfter) {
  Spec spec{.name = "t",
            .input_schema = {{"type", "object"}, {"required", {"a"}}},
            .output_schema = {{"type", "integer"}},
            .kind = Kind::kCommand};
  int runs = 0;
  const Body body = [&runs](const Json& arguments, Progress&) {
    ++runs;
    return Execution(arguments["a"]);
  };
  EXPECT_TRUE(shown(run(spec, body)).starts_with("invalid_arguments: "));
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(shown(run(spec, body, {{"a", 1}})), "1");
  EXPECT_TRUE(shown(run(spec, body, {{"a", "x"}}))
                  .starts_with("invalid_result: the tool's result does not match"));
}

TEST(RegisteredTool, AnExceptionOfAnyKindEndsTheCallOnly) {
  Spec spec{.name = "t", .input_schema = {{"type", "object"}}, .kind = Kind::kPython};
  EXPECT_EQ(shown(run(spec,
                      [](const Json&, Progress&) -> Execution {
                        throw std::runtime_error("out of \xff");
                      })),
            "tool_threw: out of \xEF\xBF\xBD");
  EXPECT_EQ(shown(run(spec, [](const Json&, Progress&) -> Execution { throw 42; })),
            "tool_threw: tool 'default.t' threw something that is not a std::exception");
}

}  // namespace
}  // namespace toolway::tools::model
