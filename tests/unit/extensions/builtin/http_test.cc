#include "extensions/builtin/http.h"

#include "extensions/chain/effective.h"
#include "extensions/chain/judge.h"
#include "monitoring/metric_registry.h"
#include "tests/support/test_clock.h"
#include "tests/unit/extensions/policies.h"

namespace toolway::extensions::builtin {
namespace {

class HttpExtension : public testing::Test {
 protected:
  chain::Verdict judged(std::string_view text, const tools::model::Spec& spec) {
    const auto policy = test::policy(text);
    const chain::PolicyInForce in_force{policy, chain::Chain::of(policy, chain::extension_types()),
                                        1};
    const auto caller = test::user("ann");
    const Json arguments = Json::object();
    const auto tool = test::registered(spec);
    return *chain::judge(
        {.in_force = in_force, .caller = caller, .tool = tool, .arguments = &arguments}, metrics_);
  }
  const tools::model::Spec buy_ = test::spec("shop", "buy");
  const std::unique_ptr<monitoring::Metrics> registry_ = monitoring::make_registry("gateway");
  toolway::test::StoppedClock clock_;
  chain::ChainMetrics metrics_{*registry_, clock_};
};

constexpr const char* kRules = R"(
rules:
  - name: first
    tools: "shop.*"
    ask: {url: "https://Policy.example.com/decide", timeout_ms: 500, on_failure: open}
  - name: results
    ask: {url: "https://opa.example.com/v1/data/a/b", format: opa, when: after}
extensions: {http: {on_failure: closed}}
)";

TEST_F(HttpExtension, NamesTheServicesToAsk) {
  const auto verdict = judged(kRules, buy_);
  EXPECT_FALSE(verdict.refusal);
  ASSERT_EQ(verdict.services.size(), 2U);
  const auto& first = verdict.services[0];
  EXPECT_EQ(first.rule, "first");
  EXPECT_TRUE(first.before());
  EXPECT_FALSE(first.after());
  EXPECT_EQ(first.on_failure, OnFailure::kOpen);
  EXPECT_EQ(first.service->origin, "https://policy.example.com");
  EXPECT_EQ(first.service->timeout, std::chrono::milliseconds(500));
  const auto& results = verdict.services[1];
  EXPECT_FALSE(results.before());
  EXPECT_TRUE(results.after());
  EXPECT_EQ(results.on_failure, OnFailure::kClosed) << "as the extension's";
  EXPECT_EQ(results.service->format, Service::Format::kOpa);
  EXPECT_EQ(results.service->timeout, kLongestAnswer);
}

TEST_F(HttpExtension, ACallThatNoRuleNamesIsAskedNothing) {
  const auto verdict =
      judged("rules: [{name: a, tools: 'shop.*', ask: {url: 'https://a.example'}}]",
             test::spec("time", "now"));
  EXPECT_TRUE(verdict.services.empty());
  EXPECT_TRUE(verdict.said.empty());
}

TEST_F(HttpExtension, SaysWhomItAsks) {
  const auto effects = chain::effects(test::policy(kRules), buy_, test::user("ann"));
  std::vector<std::string> says;
  for (const auto& effect : effects)
    if (effect.extension == "http") says.push_back(effect.rule + ": " + effect.says);
  EXPECT_EQ(says, (std::vector<std::string>{
                      "first: asks https://Policy.example.com/decide before calls, 500 ms at most; "
                      "without an answer they go on",
                      "results: asks https://opa.example.com/v1/data/a/b about results, 2000 ms at "
                      "most, as OPA"}));
}

}  // namespace
}  // namespace toolway::extensions::builtin
