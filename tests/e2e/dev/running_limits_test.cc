// Limits on running calls as a person sees them: what waits, why, and what a killed worker leaves.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "tests/e2e/dev/dev_stack.h"

namespace toolway::cli {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr const char* kSpecs = R"(tools:
  - {name: paint, namespace: shop, kind: python, idempotent: true, input_schema: {type: object}, implementation_config: {module: none, function_name: f}}
)";
constexpr const char* kMocks = R"(mocks:
  - {tool: shop.paint, delay_ms: 3000, result: {}}
)";
constexpr const char* kExtensions = R"(rules:
  - {name: one_brush, tools: shop.paint, limit: {running: 1, per: tool}}
)";

class RunningLimits : public testing::Test {
 protected:
  void SetUp() override {
    const auto write = [&](const char* name, const char* text) {
      std::ofstream(dir_ / name) << text;
      return dir_ / name;
    };
    dev_ = std::make_unique<Dev>(
        dir_, std::vector<std::string>{"--specs", write("tools.yaml", kSpecs), "--mock",
                                       write("mocks.yaml", kMocks), "--mock-only", "--python",
                                       "/none", "--pool", "python", "--extensions",
                                       write("extensions.yaml", kExtensions)});
    ASSERT_TRUE(wait_for([&] { return !dev_->ready().is_null(); }, seconds(60))) << dev_->log();
    ASSERT_TRUE(wait_for([&] { return open() == 0; })) << dev_->log();
  }
  Ran run(const std::vector<std::string>& arguments) {
    return run_toolway(dir_, arguments, {{"TOOLWAY_URL", dev_->url()}, {"TOOLWAY_USER", "e2e"}});
  }
  int open() { return run({"session", "open", "s", "-n", "shop"}).status; }
  std::string call() {
    const auto made = run({"call", "shop.paint", "{}", "--session", "s", "-o", "json"});
    EXPECT_EQ(made.status, 0) << made.output;
    return made.json().value("call_id", "");
  }
  bool is(const std::string& id, const char* field, const char* value) {
    const auto shown = shown_call(dev_->url(), id);
    return shown.is_object() && shown.contains(field) && shown[field] == value;
  }

  const test::TempDir dir_;
  std::unique_ptr<Dev> dev_;
};

TEST_F(RunningLimits, TheSecondCallWaitsAndSaysWhy) {
  const auto first = call();
  const auto second = call();
  ASSERT_TRUE(
      wait_for([&] { return is(first, "state", "running") || is(second, "state", "running"); }));
  const auto waits = is(first, "state", "running") ? second : first;
  Ran explained;
  EXPECT_TRUE(wait_for(
      [&] {
        explained = run({"explain", waits});
        return explained.output.find("tool_busy") != std::string::npos;
      },
      seconds(10)))
      << explained.output;
  EXPECT_NE(explained.output.find("limit one_brush of the policy lets one such call run at a time"),
            std::string::npos)
      << explained.output;
  for (const auto& id : {first, second})
    EXPECT_TRUE(wait_for([&] { return is(id, "outcome", "succeeded"); }));
}

TEST_F(RunningLimits, ThePermitOfAKilledWorkerIsFreeAfterHalfAMinute) {
  const auto id = call();
  ASSERT_TRUE(wait_for([&] { return is(id, "state", "running"); }));
  ASSERT_EQ(::kill(dev_->pid_of("worker"), SIGKILL), 0);
  const auto killed = steady_clock::now();
  ASSERT_TRUE(wait_for([&] { return is(id, "outcome", "succeeded"); }, seconds(90))) << dev_->log();
  const auto took = std::chrono::duration<double>(steady_clock::now() - killed).count() - 3;
  std::printf("the call began again %.1f s after its worker was killed\n", took);
  EXPECT_GT(took, 18) << "while a frozen worker might still run it";
  EXPECT_LT(took, 40);
}

}  // namespace
}  // namespace toolway::cli
