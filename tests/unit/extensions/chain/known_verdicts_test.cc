#include "extensions/chain/known_verdicts.h"

#include <functional>
#include <stdexcept>

#include "extensions/chain/judge.h"
#include "monitoring/metric_names.h"
#include "monitoring/metric_registry.h"
#include "tests/support/test_clock.h"
#include "tests/unit/extensions/policies.h"

namespace toolway::extensions::chain {
namespace {

/// Counts how often it is asked, and refuses the tool `no`.
class Counting final : public Extension {
 public:
  explicit Counting(int& asked, bool& fails) : asked_(asked), fails_(fails) {}
  Decision before(const Facts& facts) const override {
    ++asked_;
    if (fails_) throw std::runtime_error("of a test");
    if (facts.spec.name == "no") return {.refusal = Error{ErrorCode::kToolDisabled, "no"}};
    return {};
  }

 private:
  int& asked_;
  bool& fails_;
};

class KnownVerdictsTest : public testing::Test {
 protected:
  PolicyInForce in_force(const char* rules) {
    return {test::policy(rules),
            Chain({{.name = "refuse",
                    .on_failure = OnFailure::kClosed,
                    .extension = std::make_shared<const Counting>(asked_, fails_)}}),
            1};
  }
  VerdictPtr judged(const PolicyInForce& policy, const Principal& caller,
                    const Json* arguments = nullptr, const char* tool = "buy") {
    return judge({.in_force = policy,
                  .caller = caller,
                  .tool = test::registered(test::spec("shop", tool)),
                  .arguments = arguments},
                 metrics_);
  }
  double counted(std::string_view decision) {
    return registry_
        ->counter(monitoring::kExtensionDecisions,
                  {{"extension", "refuse"}, {"decision", decision}})
        .value();
  }

  int asked_ = 0;
  bool fails_ = false;
  const Json arguments_ = Json::object();
  const Principal ann_ = test::user("ann", {"agent"});
  std::unique_ptr<monitoring::Metrics> registry_ = monitoring::make_registry("gateway");
  toolway::test::StoppedClock clock_;
  ChainMetrics metrics_{*registry_, clock_};
};

constexpr const char* kRule = "rules: [{name: r, refuse: no}]";
constexpr const char* kRuleThatLooks = "rules: [{name: r, when: {pointers: {/n: 1}}, refuse: no}]";

TEST_F(KnownVerdictsTest, AToolIsAskedAboutOnceForACallerAndCountedForEachCall) {
  const auto policy = in_force(kRule);
  for (int call = 0; call < 3; ++call) {
    EXPECT_FALSE(judged(policy, ann_, &arguments_)->refusal);
    EXPECT_EQ(judged(policy, ann_, nullptr, "no")->refusal->code, ErrorCode::kToolDisabled);
  }
  EXPECT_EQ(asked_, 2);
  EXPECT_EQ(counted("allow"), 3);
  EXPECT_EQ(counted("refuse"), 3);
  EXPECT_FALSE(judged(in_force(kRule), ann_)->refusal);
  EXPECT_EQ(asked_, 3) << "what another policy said is another matter";
}

TEST_F(KnownVerdictsTest, EachPartOfWhoAsksMatters) {
  const auto policy = in_force(kRule);
  const std::vector<std::function<void(Principal&)>> changes{
      [](Principal&) {},
      [](Principal& who) { who.tenant_id = "other"; },
      [](Principal& who) { who.user_id = "bob"; },
      [](Principal& who) { who.key_id = "k"; },
      [](Principal& who) { who.roles = {"agent", "admin"}; },
      [](Principal& who) { who.roles = {}; },
      [](Principal& who) { who.namespaces = {"agent"}; },
      [](Principal& who) { std::swap(who.roles, who.namespaces); },
      [](Principal& who) { who.user_id = "an", who.key_id = "n"; },
      [](Principal& who) { who.method = "key"; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    auto who = ann_;
    changes[i](who);
    for (int call = 0; call < 2; ++call) judged(policy, who);
    EXPECT_EQ(asked_, static_cast<int>(i) + 1) << i;
  }
}

TEST_F(KnownVerdictsTest, WhereARuleLooksAtArgumentsEachCallIsAskedAbout) {
  const auto policy = in_force(kRuleThatLooks);
  judged(policy, ann_);
  judged(policy, ann_);
  EXPECT_EQ(asked_, 1) << "before arguments are looked at, they make no difference";
  judged(policy, ann_, &arguments_);
  judged(policy, ann_, &arguments_);
  EXPECT_EQ(asked_, 3);
  judged(policy, ann_);
  EXPECT_EQ(asked_, 3);
  const auto buy = test::registered(test::spec("shop", "buy"));
  EXPECT_FALSE(judge_at_once({policy, ann_, buy, &arguments_}, metrics_));
  EXPECT_FALSE(judge_at_once({in_force(kRuleThatLooks), ann_, buy, &arguments_}, metrics_))
      << "nothing is known yet";
  EXPECT_EQ(asked_, 3);
  EXPECT_EQ(counted("allow"), 5) << "only of calls that were judged";
  EXPECT_TRUE(judge_at_once({in_force(kRule), ann_, buy, &arguments_}, metrics_));
}

TEST_F(KnownVerdictsTest, WhatFailedIsAskedAgain) {
  const auto policy = in_force(kRule);
  fails_ = true;
  EXPECT_TRUE(judged(policy, ann_)->refusal);
  fails_ = false;
  EXPECT_FALSE(judged(policy, ann_)->refusal);
  EXPECT_FALSE(judged(policy, ann_)->refusal);
  EXPECT_EQ(asked_, 2);
  EXPECT_EQ(counted("failed"), 1);
  EXPECT_EQ(counted("allow"), 2);
}

}  // namespace
}  // namespace toolway::extensions::chain
