#include "extensions/auth/jwt.h"

#include <gtest/gtest.h>

#include "base/base64.h"

namespace toolway::extensions::auth {
namespace {

TEST(JsonWebToken, Base64urlIsReadOnlyAsAnEncoderWritesIt) {
  EXPECT_EQ(from_base64url(""), "");
  EXPECT_EQ(from_base64url("Zg"), "f");
  EXPECT_EQ(from_base64url("Zm9v"), "foo");
  EXPECT_EQ(from_base64url("-_8"), "\xfb\xff");
  for (const char* text : {"Zh", "Zg==", "Z", "Zm9v\n", "+/8", "Zm 9v", "Zm9vZ"})
    EXPECT_FALSE(from_base64url(text)) << text;
}

TEST(JsonWebToken, NamesOfAlgorithmsAreExact) {
  for (const char* name :
       {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"}) {
    const auto algorithm = algorithm_named(name);
    ASSERT_TRUE(algorithm) << name;
    EXPECT_EQ(algorithm_name(*algorithm), name);
  }
  for (const char* name : {"", "none", "HS256", "rs256", "EdDSA", "RS256 "})
    EXPECT_FALSE(algorithm_named(name)) << name;
}

}  // namespace
}  // namespace toolway::extensions::auth
