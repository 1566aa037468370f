#include "extensions/builtin/limits.h"

#include "extensions/chain/effective.h"
#include "extensions/chain/judge.h"
#include "monitoring/metric_registry.h"
#include "tests/support/test_clock.h"
#include "tests/unit/extensions/policies.h"

namespace toolway::extensions::builtin {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> mistakes_of(const std::string& limit) {
  const auto read = reader::read_policy("rules:\n  - name: a\n    limit: " + limit + "\n",
                                        "extensions.yaml", chain::extension_types());
  std::vector<std::string> texts;
  for (const auto& mistake : read.mistakes) texts.push_back(mistake.text());
  return texts;
}

TEST(ParseRate, SaysTheTimeBetweenTwo) {
  EXPECT_EQ(parse_rate("5/s"), 200ms);
  EXPECT_EQ(parse_rate("100/min"), 600ms);
  EXPECT_EQ(parse_rate("20/h"), 3min);
  EXPECT_EQ(parse_rate("1000000/s"), 1us);
  EXPECT_EQ(parse_rate("3/s"), 333333333ns);
  for (const char* text : {"", "5", "/s", "5/", "0/s", "-1/s", "1.5/s", "5/d", "5 /s", "5/s ",
                           "1000001/s", "99999999999999999999/s", "5/S", "5/min/s"})
    EXPECT_FALSE(parse_rate(text)) << text;
}

TEST(Limits, AreReadAndSaidInWords) {
  const auto policy = test::policy(
      "rules:\n"
      "  - {name: a, tools: 'shop.*', limit: {rate: 5/s, burst: 8, per: [user, tool]}}\n"
      "  - {name: b, limit: {rate: 100/min}}\n"
      "  - {name: c, limit: {rate: 50/s, per: all}}\n"
      "  - {name: d, tools: 'other.*', limit: {rate: 1/h}}\n");
  const auto ann = test::user("ann");
  const auto buy = test::spec("shop", "buy");
  std::vector<std::string> says;
  for (const auto& effect : chain::effects(policy, buy, ann))
    if (effect.extension == "limits") says.push_back(effect.rule + ": " + effect.says);
  EXPECT_EQ(says,
            (std::vector<std::string>{"a: limits each user and tool to 5/s, at most 8 at once",
                                      "b: limits each user to 100/min, at most 1 at once",
                                      "c: limits all together to 50/s, at most 50 at once"}));
  const auto registry = monitoring::make_registry("gateway");
  const toolway::test::StoppedClock clock;
  chain::ChainMetrics metrics(*registry, clock);
  const chain::PolicyInForce in_force{policy, chain::Chain::of(policy, chain::extension_types()),
                                      1};
  const auto verdict = *chain::judge({in_force, ann, test::registered(buy)}, metrics);
  EXPECT_FALSE(verdict.refusal);
  ASSERT_EQ(verdict.limits.size(), 3U);
  EXPECT_EQ(verdict.limits[0].limit.name, "a");
  EXPECT_EQ(verdict.limits[0].limit.rate.interval, 200ms);
  EXPECT_EQ(verdict.limits[0].limit.rate.burst, 8U);
  EXPECT_EQ(verdict.limits[0].limit.per, (std::vector{Per::kUser, Per::kTool}));
  EXPECT_EQ(verdict.limits[0].on_failure, OnFailure::kClosed);
  EXPECT_TRUE(verdict.limits[2].limit.per.empty());
}

TEST(Limits, EachMistakeIsSaid) {
  EXPECT_EQ(mistakes_of("5/s"),
            std::vector<std::string>{
                "extensions.yaml:3: `limit` must be a mapping: {rate: 5/s, burst: 10, per: user}, "
                "{waiting: 100, per: session} or {running: 4, per: tool}"});
  EXPECT_EQ(mistakes_of("{burst: 5}"),
            std::vector<std::string>{"extensions.yaml:3: `limit` has no `rate`"});
  EXPECT_EQ(
      mistakes_of("{rate: fast}"),
      std::vector<std::string>{
          "extensions.yaml:3: \"fast\" is not a rate: write 5/s, 100/min or 20/h, at most 1000000/s"});
  EXPECT_EQ(mistakes_of("{rate: 5/s, burst: 0}").size(), 1U);
  EXPECT_EQ(
      mistakes_of("{rate: 20/h, burst: 21}"),
      std::vector<std::string>{
          "extensions.yaml:3: 21 calls come back in more than an hour at 20/h: lower `burst` or raise `rate`"});
  EXPECT_EQ(
      mistakes_of("{rate: 5/s, per: planet}"),
      std::vector<std::string>{
          "extensions.yaml:3: \"planet\" cannot be counted apart: use tenant, user, key, session, tool, or all"});
  EXPECT_EQ(mistakes_of("{rate: 5/s, per: [user, all]}").size(), 1U);
  EXPECT_EQ(mistakes_of("{rate: 5/s, every: user}").size(), 1U);
}

TEST(Limits, OfWaitingAndRunningCallsAreReadAndSaidInWords) {
  const auto policy = test::policy(
      "rules:\n"
      "  - {name: w, limit: {waiting: 100, per: session}}\n"
      "  - {name: r, tools: 'shop.*', limit: {running: 4}}\n"
      "  - {name: o, tools: 'other.*', limit: {running: 1}}\n"
      "  - {name: a, limit: {running: 9, per: all}}\n");
  const auto ann = test::user("ann");
  const auto buy = test::spec("shop", "buy");
  std::vector<std::string> says;
  for (const auto& effect : chain::effects(policy, buy, ann))
    if (effect.extension == "limits") says.push_back(effect.rule + ": " + effect.says);
  EXPECT_EQ(says, (std::vector<std::string>{"w: limits each session to 100 waiting calls",
                                            "r: limits each tool to 4 running calls",
                                            "a: limits all together to 9 running calls"}));
  const auto running = running_limits(*policy, buy, ann);
  ASSERT_EQ(running.size(), 2U);
  EXPECT_EQ(running[0].name, "r");
  EXPECT_EQ(running[0].most, 4U);
  EXPECT_EQ(running[0].per, std::vector{Per::kTool});
  EXPECT_EQ(running[1].name, "a");
  EXPECT_TRUE(running[1].per.empty());
  const auto registry = monitoring::make_registry("gateway");
  const toolway::test::StoppedClock clock;
  chain::ChainMetrics metrics(*registry, clock);
  const chain::PolicyInForce in_force{policy, chain::Chain::of(policy, chain::extension_types()),
                                      1};
  const auto verdict = *chain::judge({in_force, ann, test::registered(buy)}, metrics);
  ASSERT_EQ(verdict.limits.size(), 1U) << "what runs is for workers";
  EXPECT_EQ(verdict.limits[0].limit.kind, LimitKind::kWaiting);
  EXPECT_EQ(verdict.limits[0].limit.most, 100U);
}

/// A worker decides about rules that look at arguments later than about what may run.
TEST(Limits, OnRunningCallsHoldAfterARuleThatLooksAtArguments) {
  const auto policy = test::policy(
      "rules:\n"
      "  - {name: w, when: {arguments: {path: x}}, refuse: not x}\n"
      "  - {name: r, limit: {running: 4}}\n");
  EXPECT_EQ(running_limits(*policy, test::spec("shop", "buy"), test::user("ann")).size(), 1U);
}

TEST(Limits, EachMistakeOfWaitingAndRunningOnesIsSaid) {
  const auto only = [](const std::string& limit) {
    const auto mistakes = mistakes_of(limit);
    EXPECT_EQ(mistakes.size(), 1U) << limit;
    return mistakes.empty() ? "" : mistakes.front();
  };
  EXPECT_EQ(
      only("{waiting: 100, running: 4, per: user}"),
      "extensions.yaml:3: `waiting` and `running` cannot be one limit: write a rule for each");
  EXPECT_EQ(only("{running: 4, rate: 5/s}"),
            "extensions.yaml:3: `running` and `rate` cannot be one limit: write a rule for each");
  EXPECT_EQ(only("{waiting: 4, burst: 5}"),
            "extensions.yaml:3: `waiting` and `burst` cannot be one limit: write a rule for each");
  EXPECT_EQ(
      only("{waiting: 4, per: tool}"),
      "extensions.yaml:3: \"tool\" cannot be counted apart: use session, user, tenant, or all");
  EXPECT_EQ(only("{running: 4, per: planet}"),
            "extensions.yaml:3: \"planet\" cannot be counted apart: use tool, tenant, user, key, "
            "session, or all");
  for (const char* limit : {"{running: 0}", "{running: 1001}", "{running: many}", "{waiting: 0}",
                            "{waiting: 1000001}", "{waiting: -1}"})
    only(limit);
  const auto read =
      reader::read_policy("rules:\n  - {name: a, when: {arguments: {x: 1}}, limit: {running: 4}}\n",
                          "extensions.yaml", chain::extension_types());
  ASSERT_EQ(read.mistakes.size(), 1U);
  EXPECT_EQ(read.mistakes.front().text(),
            "extensions.yaml:2: a limit on running calls cannot look at arguments: workers know it "
            "before they look at any; take `when` out");
}

}  // namespace
}  // namespace toolway::extensions::builtin
