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
  const auto verdict = chain::judge({in_force, ann, buy}, metrics);
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
                "extensions.yaml:3: `limit` must be a mapping: {rate: 5/s, burst: 10, per: user}"});
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

}  // namespace
}  // namespace toolway::extensions::builtin
