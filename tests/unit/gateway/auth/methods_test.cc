#include "gateway/auth/methods.h"

#include <gtest/gtest.h>

#include "gateway/auth/authority.h"

namespace toolway::gateway::auth {
namespace {

TEST(AuthMethods, AreNoneKeysJwtOrBoth) {
  EXPECT_EQ(*parse_methods("none"), Methods());
  EXPECT_EQ(*parse_methods("keys"), (Methods{.keys = true}));
  EXPECT_EQ(*parse_methods("jwt"), (Methods{.jwt = true}));
  EXPECT_EQ(*parse_methods("keys,jwt"), (Methods{.keys = true, .jwt = true}));
  EXPECT_EQ(*parse_methods("jwt,keys"), (Methods{.keys = true, .jwt = true}));
  for (const auto* text :
       {"", "key", "keys,", ",keys", "keys,keys", "none,keys", "keys jwt", "KEYS"})
    EXPECT_FALSE(parse_methods(text)) << text;
}

TEST(AuthMethods, MustBeChosenWhereOthersCanReachTheGateway) {
  for (const auto* host : {"127.0.0.1", "localhost", "::1", "127.0.0.6"})
    EXPECT_EQ(*methods_for("", host), Methods()) << host;
  for (const auto* host : {"0.0.0.0", "::", "10.0.0.7", "192.0.2.1"}) {
    const auto refused = methods_for("", host);
    ASSERT_FALSE(refused) << host;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidRequest);
    EXPECT_NE(refused.error().message.find("--auth keys"), std::string::npos);
    EXPECT_NE(refused.error().message.find("--auth none"), std::string::npos);
    EXPECT_EQ(*methods_for("none", host), Methods()) << "said on purpose";
    EXPECT_EQ(*methods_for("keys", host), (Methods{.keys = true}));
  }
}

TEST(AuthMethods, TokensNeedIssuersAndNothingElseDoes) {
  EXPECT_FALSE(check_options({.methods = "jwt"}, "127.0.0.1"));
  EXPECT_FALSE(check_options({.methods = "keys,jwt"}, "127.0.0.1"));
  EXPECT_FALSE(check_options({.methods = "keys", .config_file = "f"}, "127.0.0.1"));
  EXPECT_FALSE(check_options({.config_file = "f"}, "127.0.0.1"));
  EXPECT_TRUE(check_options({.methods = "jwt", .config_file = "f"}, "0.0.0.0"));
}

}  // namespace
}  // namespace toolway::gateway::auth
