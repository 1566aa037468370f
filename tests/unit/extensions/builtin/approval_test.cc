#include "extensions/builtin/approval.h"

#include <gtest/gtest.h>

#include "extensions/chain/effective.h"
#include "extensions/chain/judge.h"
#include "tests/support/test_clock.h"
#include "tests/unit/extensions/policies.h"

namespace toolway::extensions::builtin {
namespace {

struct Tool {
  bool dangerous = false;
  bool requires_approval = false;
};

class ApprovalTest : public testing::Test {
 protected:
  chain::Verdict judged(const char* text, Tool tool, const char* arguments = "{}",
                        std::vector<std::string> roles = {}) {
    const auto policy = test::policy(text);
    const chain::PolicyInForce in_force{policy, chain::Chain::of(policy, chain::extension_types()),
                                        1};
    auto spec = test::spec("shop", "pay");
    spec.dangerous = tool.dangerous;
    spec.requires_approval = tool.requires_approval;
    const auto json = *parse_json(arguments);
    const auto caller = test::user("ann", std::move(roles));
    const auto tool_of_spec = test::registered(spec);
    return *chain::judge(
        {.in_force = in_force, .caller = caller, .tool = tool_of_spec, .arguments = &json},
        metrics_);
  }
  std::vector<std::string> mistakes(std::string_view text) {
    std::vector<std::string> found;
    for (const auto& mistake : reader::read_policy(text, "file", chain::extension_types()).mistakes)
      found.push_back(mistake.text());
    return found;
  }

  toolway::test::StoppedClock clock_;
  std::unique_ptr<monitoring::Metrics> kept_ = monitoring::make_metrics("test");
  chain::ChainMetrics metrics_{*kept_, clock_};
};

constexpr const char* kAlways = "rules: [{name: r, approval: always}]";
constexpr const char* kUnsafe = "rules: [{name: r, approval: unsafe_only}]";
constexpr const char* kNever = "rules: [{name: r, approval: never}]";

TEST_F(ApprovalTest, AModeSaysWhichCallsAreHeld) {
  EXPECT_TRUE(judged(kAlways, {}).hold);
  EXPECT_FALSE(judged(kUnsafe, {}).hold);
  EXPECT_TRUE(judged(kUnsafe, {.dangerous = true}).hold);
  EXPECT_TRUE(judged(kUnsafe, {.requires_approval = true}).hold);
  EXPECT_FALSE(judged(kNever, {.dangerous = true, .requires_approval = true}).hold);
}

TEST_F(ApprovalTest, WithoutARuleTheSpecSays) {
  for (const char* policy : {"", "rules: [{name: r, tools: 'a.*', approval: never}]"}) {
    EXPECT_FALSE(judged(policy, {.dangerous = true}).hold) << policy;
    const auto held = judged(policy, {.requires_approval = true});
    ASSERT_TRUE(held.hold) << policy;
    EXPECT_EQ(*held.hold, Hold{});
    EXPECT_EQ(held.held_because, kRequiresApproval);
  }
  auto spec = test::spec("shop", "pay");
  EXPECT_FALSE(chain::judge_without_policy(spec).hold);
  spec.requires_approval = true;
  EXPECT_TRUE(chain::judge_without_policy(spec).hold);
}

TEST_F(ApprovalTest, TheFirstRuleAboutACallDecides) {
  constexpr const char* kPolicy = R"(
roles: {lead: {permissions: ['*']}, r: {permissions: ['call:*']}}
rules:
  - {name: leads, roles: lead, approval: never}
  - name: large
    when: {schema: {properties: {sum: {minimum: 100}}, required: [sum]}}
    approval: {roles: [lead], quorum: 2, expires_s: 60, requester_may_decide: true}
  - {name: rest, approval: {mode: unsafe_only}}
)";
  const auto large = judged(kPolicy, {}, R"({"sum": 100})", {"r"});
  ASSERT_TRUE(large.hold);
  EXPECT_EQ(large.held_because, "large");
  EXPECT_EQ(*large.hold, (Hold{.roles = {"lead"},
                               .quorum = 2,
                               .expires = std::chrono::seconds(60),
                               .requester_may_decide = true}));
  EXPECT_FALSE(judged(kPolicy, {}, R"({"sum": 99})", {"r"}).hold);
  EXPECT_EQ(judged(kPolicy, {.dangerous = true}, R"({"sum": 1})", {"r"}).held_because, "rest");
  EXPECT_FALSE(judged(kPolicy, {.dangerous = true}, R"({"sum": 100})", {"lead"}).hold);
}

TEST_F(ApprovalTest, ARefusalComesBeforeAHold) {
  const auto both = judged("rules: [{name: r, approval: always, refuse: no}]", {});
  EXPECT_TRUE(both.refusal);
  EXPECT_FALSE(both.hold);
}

TEST_F(ApprovalTest, SaysWhatIsWrongWithARule) {
  const std::string rule = "roles: {lead: {permissions: [x]}}\nrules:\n  - name: r\n    approval: ";
  const std::vector<std::pair<const char*, const char*>> all{
      {"sometimes", "file:4: `approval` must be never, unsafe_only or always"},
      {"[always]", "file:4: `approval` must be never, unsafe_only or always"},
      {"{mode: maybe}", "file:4: \"maybe\" is not one of always, unsafe_only, never"},
      {"{quorum: 0}", "file:4: `quorum`"},
      {"{quorum: 6}", "file:4: `quorum`"},
      {"{expires_s: 0}", "file:4: `expires_s`"},
      {"{expires_s: 2592001}", "file:4: `expires_s`"},
      {"{roles: [laed]}", "file:4: `roles` has no \"laed\"; did you mean lead?"},
      {"{approvers: 2}", "file:4: "}};
  for (const auto& [text, wanted] : all) {
    const auto found = mistakes(rule + text);
    ASSERT_FALSE(found.empty()) << text;
    EXPECT_TRUE(found.front().starts_with(wanted)) << text << "\n" << found.front();
  }
  EXPECT_TRUE(mistakes(rule + "{quorum: 5, expires_s: 2592000, roles: [lead]}").empty());
}

TEST_F(ApprovalTest, IsShownInWords) {
  auto spec = test::spec("shop", "pay");
  spec.requires_approval = true;
  const auto policy = test::policy(
      "roles: {lead: {permissions: [x]}}\n"
      "rules: [{name: r, approval: {roles: [lead], quorum: 2}}]");
  std::vector<std::string> says;
  for (const auto& effect : chain::effects(policy, spec, test::user("ann")))
    if (effect.extension == "approval") says.push_back(effect.says);
  ASSERT_EQ(says.size(), 2U);
  EXPECT_NE(says[0].find("requires_approval"), std::string::npos);
  EXPECT_EQ(says[1], "holds calls until 2 approvers of role lead approve, for 86400 s at most");
}

TEST(MayDecide, RolesPermissionsAndLimitsOfCredentialsCount) {
  const auto policy = test::policy(R"(
roles:
  lead: {permissions: ["approve:shop.*"]}
  agent: {permissions: ["call:*"]}
users: [{user: bea, roles: [lead]}]
default_roles: [agent]
)");
  const std::vector<std::string> leads{"lead"};
  const auto may = [&](const PolicyPtr& in_force, const Principal& caller,
                       std::span<const std::string> roles) {
    return may_decide(in_force, caller, roles, "shop", "pay");
  };
  EXPECT_TRUE(may(policy, test::user("bea"), {}));
  EXPECT_TRUE(may(policy, test::user("bea"), leads));
  EXPECT_TRUE(may(policy, test::user("cid", {"lead"}), leads));
  EXPECT_FALSE(may(policy, test::user("cid"), {}));
  EXPECT_FALSE(may(policy, test::user("cid"), leads));
  EXPECT_FALSE(may_decide(policy, test::user("bea"), {}, "files", "delete"));
  // A role that was taken out of the policy decides about nothing, also not what is held for it.
  const std::vector<std::string> gone{"gone", "lead"};
  EXPECT_FALSE(may(policy, test::user("cid", {"gone"}), gone));
  EXPECT_TRUE(may(policy, test::user("cid", {"gone", "lead"}), gone));
  EXPECT_TRUE(may(nullptr, test::user("cid", {"gone"}), gone));
  auto limited = test::user("bea");
  limited.namespaces = {"files"};
  EXPECT_FALSE(may(policy, limited, {}));
  EXPECT_FALSE(may(policy, limited, leads));
  // Without a policy everyone may, but not what a credential does not reach; roles still count.
  EXPECT_TRUE(may(nullptr, test::user("cid"), {}));
  EXPECT_FALSE(may(nullptr, limited, {}));
  EXPECT_FALSE(may(nullptr, test::user("cid"), leads));
  auto boss = test::user("boss");
  boss.method = std::string(kByOperator);
  EXPECT_TRUE(may(policy, boss, leads));
}

}  // namespace
}  // namespace toolway::extensions::builtin
