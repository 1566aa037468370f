#include "extensions/auth/auth_config.h"

#include <gtest/gtest.h>

namespace toolway::extensions::auth {
namespace {

std::string mistakes_of(std::string_view text) {
  const auto config = read_auth_config(text, "auth.yaml");
  return config ? "" : config.error().message;
}

TEST(AuthConfig, SaysWhomToBelieve) {
  const auto config = read_auth_config(R"(issuers:
  - issuer: https://login.example
    audience: toolway
    jwks_url: https://login.example/keys
    algorithms: [ES256]
    tenant: acme
    roles_claim: /realm_access/roles
    roles: [agent]
  - issuer: https://other.example
    audience: [toolway, tools]
    jwks_file: /etc/toolway/other.json
    tenant: blue
)",
                                       "auth.yaml");
  ASSERT_TRUE(config) << config.error().message;
  ASSERT_EQ(config->issuers.size(), 2U);
  const auto& first = config->issuers[0];
  EXPECT_EQ(first.rules.issuer, "https://login.example");
  EXPECT_EQ(first.rules.audiences, std::vector<std::string>{"toolway"});
  EXPECT_EQ(first.rules.algorithms, std::vector<Algorithm>{Algorithm::kEs256});
  EXPECT_EQ(first.rules.user_claim, "sub");
  EXPECT_EQ(first.keys.url, "https://login.example/keys");
  EXPECT_EQ(config->issuers[1].rules.audiences.size(), 2U);
  EXPECT_EQ(config->issuers[1].keys.file, "/etc/toolway/other.json");
}

TEST(AuthConfig, EachMistakeHasItsLine) {
  const auto told = mistakes_of(R"(issuers:
  - issuer: https://login.example
    jwks_url: http://login.example/keys
    algorithms: [HS256]
    tenant: "a b"
    audiance: x
)");
  EXPECT_NE(told.find("auth.yaml:3: `jwks_url` must be https"), std::string::npos) << told;
  EXPECT_NE(told.find("auth.yaml:4: algorithm \"HS256\""), std::string::npos) << told;
  EXPECT_NE(told.find("auth.yaml:5: `tenant`"), std::string::npos) << told;
  EXPECT_NE(told.find("auth.yaml:6: unknown field `audiance`; did you mean `audience`?"),
            std::string::npos)
      << told;
  EXPECT_NE(told.find("needs an `audience`"), std::string::npos) << told;
  EXPECT_NE(mistakes_of(""), "");
  EXPECT_NE(mistakes_of("[]"), "");
  EXPECT_NE(mistakes_of("issuers: []"), "");
  EXPECT_NE(mistakes_of("issuers: [7]"), "");
}

TEST(AuthConfig, UsersOfTwoIssuersCannotBeTakenForEachOther) {
  const auto two = [](std::string_view first, std::string_view second) {
    std::string text = "issuers:\n";
    for (const auto& [name, more] : {std::pair{"a", first}, std::pair{"b", second}}) {
      text += std::string("  - {issuer: ") + name + ", audience: t, jwks_file: /k, ";
      text.append(more).append("}\n");
    }
    return mistakes_of(text);
  };
  EXPECT_EQ(two("tenant: x", "tenant: y"), "");
  EXPECT_EQ(two("tenant: x, user_prefix: 'a:'", "tenant: x, user_prefix: 'b:'"), "");
  EXPECT_NE(two("tenant: x", "tenant: x").find("could be taken for"), std::string::npos);
  EXPECT_NE(two("tenant: x", "tenant_claim: org").find("could be taken for"), std::string::npos);
  EXPECT_NE(two("tenant: x, user_prefix: a", "tenant: x, user_prefix: ab").find("could be taken"),
            std::string::npos);
}

}  // namespace
}  // namespace toolway::extensions::auth
