#include "extensions/policy.h"

#include "tests/unit/extensions/policies.h"

namespace toolway::extensions {
namespace {

using Names = std::vector<std::string>;

Names about(const Policy& policy, const tools::model::Spec& spec, const Principal& caller,
            const char* arguments = nullptr) {
  const auto json = arguments == nullptr ? Json() : *parse_json(arguments);
  Names names;
  for (const auto* rule : rules_about(policy, spec, caller, arguments == nullptr ? nullptr : &json))
    names.push_back(rule->name);
  return names;
}

/// A rule with one condition each, and a tool and caller that it is about.
TEST(Policy, ARuleIsAboutCallsThatAreAllItSays) {
  auto tool = test::spec("shop", "buy");
  tool.category = "money";
  tool.permissions = {"pay:card"};
  tool.dangerous = true;
  const auto caller = test::user("ann", {"agent"});
  const std::vector<std::pair<const char*, const char*>> all{
      {"namespaces: 'sh*'", "namespaces: sho"},     {"tools: 'shop.*'", "tools: 'web.*'"},
      {"kinds: native", "kinds: [python, http]"},   {"categories: [x, money]", "categories: [x]"},
      {"permissions: 'pay:*'", "permissions: pay"}, {"dangerous: true", "dangerous: false"},
      {"roles: [x, agent]", "roles: [x]"},          {"tenants: [default]", "tenants: [acme]"},
  };
  for (const auto& [yes, no] : all) {
    const auto rule = [&](const std::string& condition) {
      return test::policy("rules:\n  - name: one\n    refuse: x\n    " + condition);
    };
    EXPECT_EQ(about(*rule(yes), tool, caller, "{}"), Names{"one"}) << yes;
    EXPECT_EQ(about(*rule(no), tool, caller, "{}"), Names{}) << no;
  }
}

TEST(Policy, WhatArgumentsDecideIsLeftOpenUntilTheyAreLookedAt) {
  const auto policy = test::policy(R"(
rules:
  - {name: first, redact: [/a]}
  - {name: large, when: {schema: {properties: {n: {minimum: 10}}}}, refuse: too many}
  - {name: last, refuse: never}
)");
  const auto tool = test::spec("shop", "buy");
  EXPECT_EQ(about(*policy, tool, test::user("ann"), R"({"n": 11})"),
            (Names{"first", "large", "last"}));
  EXPECT_EQ(about(*policy, tool, test::user("ann"), R"({"n": 1})"), (Names{"first", "last"}));
  EXPECT_EQ(about(*policy, tool, test::user("ann")), Names{"first"})
      << "the last one decides only where the one before does not";
  EXPECT_TRUE(looks_at_arguments(*policy, tool, test::user("ann")));
  EXPECT_FALSE(
      looks_at_arguments(*test::policy("rules: [{name: a, refuse: x}]"), tool, test::user("ann")));
}

}  // namespace
}  // namespace toolway::extensions
