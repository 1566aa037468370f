#include "extensions/reader/policy_reader.h"

#include "extensions/chain/extension_types.h"
#include "extensions/reader/rule_reader.h"
#include "tests/unit/extensions/policies.h"

namespace toolway::extensions::reader {
namespace {

using Lines = std::vector<std::string>;

Lines mistakes(std::string_view text) {
  const auto document = read_policy(text, "file", chain::extension_types());
  EXPECT_EQ(document.policy == nullptr, !document.mistakes.empty());
  Lines lines;
  for (const auto& mistake : document.mistakes) lines.push_back(mistake.text());
  return lines;
}

TEST(PolicyReader, ReadsRolesUsersAndRules) {
  const auto read = test::policy(R"(
roles:
  agent: {permissions: ["call:examples.*", fleet:read]}
  approver: {permissions: "*"}
default_roles: agent
users:
  - {user: checker, roles: [approver]}
  - {user: checker, tenant: acme, roles: agent}
rules:
  - name: no_etc
    namespaces: [examples, "x*"]
    tools: "examples.*"
    kinds: [command, http]
    categories: files
    permissions: ["files:*"]
    roles: agent
    tenants: [default]
    dangerous: true
    when: {arguments: {path: /etc}}
    refuse: not there
  - name: hide
    redact: [/token]
extensions: {redact: {on_failure: open}}
)");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->roles->at("agent"), (Lines{"call:examples.*", "fleet:read"}));
  EXPECT_EQ(roles_of(*read, test::user("checker")), Lines{"approver"});
  EXPECT_EQ(roles_of(*read, test::user("ann")), Lines{"agent"});
  auto of_acme = test::user("checker");
  of_acme.tenant_id = "acme";
  EXPECT_EQ(roles_of(*read, of_acme), Lines{"agent"});
  EXPECT_EQ(roles_of(*read, test::user("checker", {"mine"})), Lines{"mine"}) << "the credential's";
  ASSERT_EQ(read->rules.size(), 2U);
  EXPECT_EQ(read->rules[0].line, 10);
  EXPECT_TRUE(read->rules[0].conditions.when);
  EXPECT_NE(read->rules[0].action("refuse"), nullptr);
  EXPECT_EQ(read->rules[0].action("redact"), nullptr);
  EXPECT_EQ(read->on_failure.at("redact"), OnFailure::kOpen);
}

TEST(PolicyReader, ATextThatSaysNothingAsksNothing) {
  for (const char* text : {"", "\n", "# nothing\n", "{}", "rules: []"}) {
    const auto read = test::policy(text);
    ASSERT_TRUE(read) << text;
    EXPECT_FALSE(read->roles);
    EXPECT_TRUE(read->rules.empty());
  }
}

// One that rules of approval name.
TEST(PolicyReader, ARoleMayGrantNothing) {
  const auto policy = test::policy("roles:\n  boss: {permissions: []}");
  ASSERT_TRUE(policy);
  EXPECT_TRUE(policy->roles->at("boss").empty());
}

/// Each mistake is told with its line and the next step.
TEST(PolicyReader, SaysWhatIsWrongAndWhere) {
  const std::vector<std::pair<const char*, const char*>> all{
      {"[]", "file:1: the file must be a mapping"},
      {"rule: []", "file:1: unknown field `rule`; did you mean `rules`?"},
      {"rules: 5", "file:1: `rules` must be a list"},
      {"rules:\n  - 5", "file:2: a rule must be a mapping"},
      {"rules:\n  - {refuse: x}", "file:2: a rule has no `name`"},
      {"rules:\n  - {name: a b, refuse: x}", "file:2: \"a b\" is not a name of a rule"},
      {"rules:\n  - {name: a}", "file:2: the rule does nothing"},
      {"rules:\n  - name: a\n    refuse: x\n  - name: a\n    refuse: y",
       "file:4: rule \"a\" is already at line 2"},
      {"rules:\n  - name: a\n    refuse: x\n    tool: a.b",
       "file:4: unknown field `tool`; did you mean `tools`?"},
      {"rules:\n  - name: a\n    refuse: x\n    tools: [web]",
       "file:4: \"web\" is not a tool: write namespace.name"},
      {"rules:\n  - name: a\n    refuse: x\n    tools: []", "file:4: `tools` is empty"},
      {"rules:\n  - name: a\n    refuse: x\n    kinds: [pyton]", "file:4: \"pyton\" is not a kind"},
      {"rules:\n  - name: a\n    refuse: x\n    dangerous: often",
       "file:4: `dangerous` must be true or false"},
      {"rules:\n  - name: a\n    refuse: x\n    when: {pointers: {x: 1}}",
       "file:4: \"x\" is not a JSON Pointer"},
      {"rules:\n  - name: a\n    refuse: {code: teapot, message: x}",
       "file:3: \"teapot\" is not one of permission_denied, tool_disabled"},
      {"rules:\n  - name: a\n    refuse: {code: permission_denied, message: x, retry_after_s: 5}",
       "file:3: trying again does not help against permission_denied"},
      {"rules:\n  - name: a\n    refuse: {}", "file:3: `refuse` has no `message`"},
      {"rules:\n  - name: a\n    refuse: ''", "file:3: `refuse` must be the text"},
      {"rules:\n  - name: a\n    allow: false", "file:3: `allow` must be true"},
      {"rules:\n  - name: a\n    refuse: x\n    allow: true",
       "file:4: the rule refuses, so it cannot allow"},
      {"rules:\n  - name: a\n    approval: {mode: never, quorum: 3}",
       "file:3: with `mode: never` nothing is held"},
      {"rules:\n  - name: a\n    redact: token", "file:3: `redact` must be a list"},
      {"rules:\n  - name: a\n    redact: [token]", "file:3: a place must be a JSON Pointer"},
      {"roles:\n  agent: {permissions: ['call:web']}", "file:2: \"call:web\": after `call:` comes"},
      {"roles:\n  agent: {permissions: ['*:read']}", "file:2: \"*:read\": write out"},
      {"roles:\n  agent: {}", "file:2: the role has no `permissions`: write []"},
      {"roles:\n  agent: yes please", "file:2: a role must be a mapping"},
      {"roles:\n  agent: {permissions: [x]}\nrules:\n  - {name: a, roles: agnet, refuse: x}",
       "file:4: `roles` has no \"agnet\"; did you mean agent?"},
      {"default_roles: [agent]", "file:1: `default_roles` needs `roles`"},
      {"users:\n  - {user: a}", "file:2: the user has no `roles`"},
      {"roles:\n  r: {permissions: [x]}\nusers:\n  - {user: a, roles: r}\n  - {user: a, roles: r}",
       "file:5: \"a\" is in the list already"},
      {"extensions:\n  approvals: {on_failure: open}",
       "file:2: this version has no extension \"approvals\""},
      {"extensions:\n  redact: {on_failure: maybe}",
       "file:2: \"maybe\" is not one of closed, open"},
      {"extensions:\n  redact: {timeout_ms: 0}",
       "file:2: `timeout_ms` must be whole milliseconds from 1 to 10000"},
      {"rules:\n  - name: a\n    ask: https://a.example", "file:3: `ask` must be a mapping"},
      {"rules:\n  - name: a\n    ask: {when: before}", "file:3: `ask` has no `url`"},
      {"rules:\n  - name: a\n    ask:\n      url: a.example", "file:4: `url`: "},
      {"rules:\n  - name: a\n    ask:\n      url: https://u:p@a.example", "file:4: `url`: "},
      {"rules:\n  - name: a\n    ask:\n      url: https://a.example\n      when: later",
       "file:5: \"later\" is not one of before, after, both"},
      {"rules:\n  - name: a\n    ask:\n      url: https://a.example\n      timeout_ms: 2001",
       "file:5: `timeout_ms` must be whole milliseconds from 1 to 2000"},
      {"rules:\n  - name: a\n    ask:\n      url: https://a.example\n      on_failure: maybe",
       "file:5: \"maybe\" is not one of closed, open"},
      {"rules:\n  - name: a\n    ask:\n      url: https://a.example\n      format: opa",
       "file:4: with `format: opa`, `url` must be that of a document"},
      {"rules:\n  - name: a\n    ask:\n      url: https://a.example\n      secret: whsec_x",
       "file:5: unknown field `secret`"},
      {"tenants: acme", "file:1: `tenants` must be a mapping"},
      {"tenants:\n  acme: web", "file:2: a tenant must be a mapping: {namespaces: [web, shop_*]}"},
      {"tenants:\n  acme: {}", "file:2: the tenant has no `namespaces`"},
      {"tenants:\n  acme: {namespaces: []}", "file:2: `namespaces` is empty"},
      {"tenants:\n  acme:\n    namespaces: [web, shop.*]",
       "file:3: \"shop.*\" is not a namespace: write its name"},
      {"tenants:\n  acme: {namespaces: web, namespace: web}",
       "file:2: unknown field `namespace`; did you mean"},
      {"tenants:\n  ac me: {namespaces: web}", "file:2: \"ac me\" is not a tenant"},
      {"tenants:\n  acme: {namespaces: a}\n  acme: {namespaces: b}", "file:3: "},
      {"patterns: sk-", "file:1: `patterns` must be a list"},
      {"patterns:\n  - 5", "file:2: a pattern must be a regular expression"},
      {"patterns:\n  - '('",
       "file:2: \"(\" is not a regular expression that can be matched in bounded time: "},
      {"patterns:\n  - '(a)\\1'", "file:2: "},
      {"patterns:\n  - '(?=a)b'", "file:2: "},
      {"patterns:\n  - 'a*'", "file:2: \"a*\" matches the empty text"},
      {"log:\n  calls: none", "file:2: \"none\" is not one of refused, all"},
      {"log:\n  slow_ms: 0", "file:2: `slow_ms` must be whole milliseconds from 1"},
      {"log: {call: all}", "file:1: unknown field `call`; did you mean `calls`?"},
      {"issuers: [https://example.org]",
       "file:1: `issuers`: whom to trust is never read from NATS"},
      {"rules:\n  - name: a\n    refuse: x\n    refuse: y", "file:4: "},
  };
  for (const auto& [text, wanted] : all) {
    const auto found = mistakes(text);
    ASSERT_FALSE(found.empty()) << text;
    EXPECT_TRUE(found.front().starts_with(wanted)) << text << "\n" << found.front();
  }
}

/// A rule must not seem to do what no extension does.
TEST(PolicyReader, WhatNoExtensionDoesIsRefusedByName) {
  const auto found = mistakes("rules:\n  - name: a\n    refuse: x\n    audit: {mode: x}");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].starts_with("file:4: ")) << found[0];
  EXPECT_NE(found[0].find("`audit`"), std::string::npos) << found[0];
}

TEST(PolicyReader, PatternsAreBounded) {
  std::string many = "patterns:\n";
  for (int i = 0; i < 33; ++i) many += "  - 'sk-[0-9]{8}'\n";
  EXPECT_TRUE(mistakes(many).front().starts_with("file:1: `patterns` has 33; the limit is 32"));
  const auto longest = mistakes("patterns:\n  - '" + std::string(513, 'a') + "'");
  EXPECT_TRUE(longest.front().starts_with("file:2: the pattern has 513 bytes")) << longest.front();
  const auto costly = mistakes("patterns:\n  - '((a{100}){100}){100}'");
  EXPECT_FALSE(costly.empty());
}

TEST(PolicyReader, ReadsWhatIsLogged) {
  const auto read = test::policy("log: {calls: all, slow_ms: 5}\npatterns: ['sk-[0-9]{8,}']");
  EXPECT_TRUE(read->log.all_calls);
  EXPECT_EQ(read->log.slow, std::chrono::milliseconds(5));
  EXPECT_EQ(read->patterns.size(), 1U);
  EXPECT_FALSE(test::policy("rules: []")->log.all_calls);
}

TEST(PolicyReader, ATextMustFitInAMessage) {
  const auto found = mistakes("# " + std::string(kMaxPolicyBytes, 'x'));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].ends_with("the limit is 512 KiB")) << found[0];
}

}  // namespace
}  // namespace toolway::extensions::reader
