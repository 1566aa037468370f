#include "extensions/grants.h"

#include "tests/unit/extensions/policies.h"

namespace toolway::extensions {
namespace {

using test::spec;
using test::user;

constexpr const char* kRoles = R"(
roles:
  agent: {permissions: ["call:web.*", "call:files.read", "files:read"]}
  operator: {permissions: ["*"]}
  looker: {permissions: ["fleet:*"]}
default_roles: agent
)";

TEST(Grants, WithoutRolesEveryoneMayDoEverything) {
  EXPECT_EQ(grants_of(nullptr, user("ann")), nullptr);
  EXPECT_EQ(grants_of(test::policy("rules: []"), user("ann")), nullptr);
  EXPECT_TRUE(may_call(nullptr, spec("web", "get")));
  EXPECT_TRUE(may_open(nullptr, "web"));
  EXPECT_TRUE(may(nullptr, kReadFleet));
}

TEST(Grants, ARoleGrantsWhatItsGlobsName) {
  const auto policy = test::policy(kRoles);
  const Grants agent(policy, user("ann"));
  EXPECT_TRUE(agent.may_call(spec("web", "get")));
  EXPECT_TRUE(agent.may_call(spec("files", "read")));
  EXPECT_FALSE(agent.may_call(spec("files", "write")));
  EXPECT_FALSE(agent.may_call(spec("webs", "get")));
  EXPECT_FALSE(agent.may(kReadFleet));
  EXPECT_TRUE(agent.may_open("web"));
  EXPECT_TRUE(agent.may_open("files")) << "one of its tools is granted";
  EXPECT_TRUE(agent.may_open("*")) << "what is not granted is not seen";
  EXPECT_FALSE(agent.may_open("shop"));
  const Grants every(policy, user("root", {"operator"}));
  EXPECT_TRUE(every.may_call(spec("shop", "buy")));
  EXPECT_TRUE(every.may(kReadFleet));
  EXPECT_TRUE(every.may_open("shop"));
  const Grants looker(policy, user("eve", {"looker"}));
  EXPECT_TRUE(looker.may(kReadFleet));
  EXPECT_FALSE(looker.may_call(spec("web", "get")));
  EXPECT_FALSE(looker.may_open("*"));
  const Grants stranger(policy, user("eve", {"none_of_these"}));
  EXPECT_FALSE(stranger.may_call(spec("web", "get"))) << "not the default roles";
}

TEST(Grants, SayWhyANamespaceIsNotOpenedAndWhatToDo) {
  const auto policy = test::policy(kRoles);
  const auto why = [&](std::vector<std::string> roles, std::string_view ns) {
    return Grants(policy, user("ann", std::move(roles))).why_not_open(ns);
  };
  EXPECT_EQ(why({"agent"}, "shop"),
            "you may not open namespace shop: your role agent lets you call no tool in it; open "
            "others (\"*\" stands for all that you may), or ask an operator for a role with "
            "permission call:shop.TOOL");
  // `toolway call` opens "*" by itself: its user has not asked for a namespace.
  for (const auto* ns : {"*", "web"})
    EXPECT_EQ(why({"looker", "none_of_these"}, ns),
              "you may not call any tool: your roles looker, none_of_these grant none; ask an "
              "operator for a role with permission call:NAMESPACE.TOOL");
  const auto without = test::policy("roles: {agent: {permissions: [\"call:*\"]}}");
  EXPECT_EQ(Grants(without, user("ann")).why_not_open("*"),
            "you may not call any tool: you have no role; ask an operator for a role with "
            "permission call:NAMESPACE.TOOL");
  auto limited = user("ann");
  limited.namespaces = {"web"};
  EXPECT_EQ(Grants(without, limited).why_not_open("*").find("limited"), std::string::npos);
  EXPECT_EQ(Grants(test::policy("rules: []"), limited).why_not_open("default"),
            "you may not open namespace default: your key or token is limited to other namespaces; "
            "open others (\"*\" stands for all that you may), or use another credential");
}

TEST(Grants, WhatASpecNamesMustBeGrantedToo) {
  const auto policy = test::policy(kRoles);
  auto tool = spec("web", "get");
  tool.permissions = {"files:read"};
  EXPECT_TRUE(Grants(policy, user("ann")).may_call(tool));
  tool.permissions = {"files:read", "net:send"};
  EXPECT_FALSE(Grants(policy, user("ann")).may_call(tool));
  EXPECT_TRUE(Grants(policy, user("root", {"operator"})).may_call(tool));
}

TEST(Grants, ACredentialMayBeLimitedToNamespaces) {
  auto limited = user("ann");
  limited.namespaces = {"web", "x*"};
  const auto without_roles = grants_of(nullptr, limited);
  ASSERT_TRUE(without_roles);
  EXPECT_TRUE(without_roles->may_call(spec("web", "get")));
  EXPECT_TRUE(without_roles->may_open("xy"));
  EXPECT_FALSE(without_roles->may_call(spec("files", "read")));
  EXPECT_FALSE(without_roles->may_open("files"));
  EXPECT_FALSE(without_roles->may(kReadFleet));
  const Grants with_roles(test::policy(kRoles), limited);
  EXPECT_TRUE(with_roles.may_call(spec("web", "get")));
  EXPECT_FALSE(with_roles.may_call(spec("files", "read"))) << "its role would grant it";
  EXPECT_FALSE(with_roles.may_call(spec("xy", "get"))) << "no role grants it";
}

TEST(Grants, ATenantMayBeLimitedToNamespaces) {
  const auto policy = test::policy("tenants: {acme: {namespaces: [web, x*]}}");
  auto ann = user("ann");
  EXPECT_EQ(grants_of(policy, ann), nullptr) << "another tenant";
  ann.tenant_id = "acme";
  const auto grants = grants_of(policy, ann);
  ASSERT_TRUE(grants);
  EXPECT_TRUE(grants->may_call(spec("web", "get")));
  EXPECT_TRUE(grants->may_open("xy"));
  EXPECT_TRUE(grants->may_open("*")) << "what may not be opened is not seen";
  EXPECT_FALSE(grants->may_call(spec("files", "read")));
  EXPECT_FALSE(grants->may_open("files"));
  EXPECT_FALSE(grants->may_approve("files", "read"));
  EXPECT_FALSE(grants->may(kReadFleet)) << "it would show the other namespaces";
  EXPECT_FALSE(may_decide(policy, ann, {}, "files", "read"));
  EXPECT_TRUE(may_decide(policy, ann, {}, "web", "get"));
  // Both limits count.
  ann.namespaces = {"xy", "files"};
  const auto both = grants_of(policy, ann);
  EXPECT_TRUE(both->may_open("xy"));
  EXPECT_FALSE(both->may_open("web"));
  EXPECT_FALSE(both->may_open("files"));
  EXPECT_FALSE(both->within_tenant("files"));
  EXPECT_NE(both->key(), grants->key());
}

TEST(Grants, OfTwoTenantsWithOtherNamespacesHaveOtherKeys) {
  const auto policy = test::policy(
      std::string(kRoles) + "tenants: {acme: {namespaces: web}, zorg: {namespaces: files}}\n");
  std::vector<std::string> keys;
  for (const char* tenant : {"acme", "zorg", "default"}) {
    auto ann = user("ann");
    ann.tenant_id = tenant;
    const Grants grants(policy, ann);
    EXPECT_EQ(grants.may_call(spec("web", "get")), tenant != std::string("zorg")) << tenant;
    keys.push_back(grants.key());
  }
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::unique(keys.begin(), keys.end()), keys.end());
}

TEST(Grants, ThoseOfAGatewaysOperatorsAreNotLimited) {
  auto one = user("operator", {"none_of_these"});
  one.method = std::string(kByOperator);
  EXPECT_EQ(grants_of(test::policy(kRoles), one), nullptr);
}

TEST(Grants, TheirKeyIsTheSameForThoseWhoMayDoTheSame) {
  const auto policy = test::policy(kRoles);
  EXPECT_EQ(Grants(policy, user("ann")).key(), Grants(policy, user("bob")).key());
  EXPECT_NE(Grants(policy, user("ann")).key(), Grants(policy, user("ann", {"operator"})).key());
  EXPECT_NE(Grants(policy, user("ann")).key(),
            Grants(test::policy(std::string(kRoles) + "# changed"), user("ann")).key());
  auto limited = user("ann");
  limited.namespaces = {"web"};
  EXPECT_NE(Grants(policy, user("ann")).key(), Grants(policy, limited).key());
}

}  // namespace
}  // namespace toolway::extensions
