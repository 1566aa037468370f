#include "extensions/auth/api_key.h"

#include <gtest/gtest.h>

#include <set>

#include "base/sha256.h"

namespace toolway::extensions::auth {
namespace {

TEST(ApiKey, IsItsNameAnd160RandomBits) {
  const ApiKey key = make_api_key();
  EXPECT_EQ(key.text.size(), 3U + 12 + 1 + 40);
  ASSERT_TRUE(api_key_id(key.text));
  EXPECT_EQ(*api_key_id(key.text), key.id);
  EXPECT_TRUE(valid_api_key_id(key.id));
  std::set<std::string> secrets;
  for (int i = 0; i < 1000; ++i) secrets.insert(make_api_key().text.substr(16));
  EXPECT_EQ(secrets.size(), 1000U);
}

TEST(ApiKey, WhatHasAnotherFormHasNoName) {
  const std::string key = make_api_key().text;
  EXPECT_FALSE(api_key_id(""));
  EXPECT_FALSE(api_key_id("tw_"));
  EXPECT_FALSE(api_key_id(key.substr(1)));
  EXPECT_FALSE(api_key_id(key + "0"));
  EXPECT_FALSE(api_key_id(key.substr(0, 15) + "-" + key.substr(16)));
  EXPECT_FALSE(api_key_id(key.substr(0, key.size() - 1) + "G"));
  EXPECT_FALSE(api_key_id("tw_A" + key.substr(4)));
  EXPECT_FALSE(valid_api_key_id("12345678901"));
  EXPECT_FALSE(valid_api_key_id("12345678901*"));
}

TEST(ApiKey, DigestsAreComparedWhole) {
  const auto digest = api_key_digest("abc");
  EXPECT_EQ(digest.size(), 32U);
  EXPECT_EQ(static_cast<unsigned char>(digest.front()), 0xba);  // FIPS 180-2, B.1
  EXPECT_TRUE(same_digest(digest, api_key_digest("abc")));
  EXPECT_FALSE(same_digest(digest, api_key_digest("abd")));
  EXPECT_FALSE(same_digest(digest, digest.substr(0, 31)));
}

}  // namespace
}  // namespace toolway::extensions::auth
