#include "extensions/redaction/mask.h"

#include "tests/unit/extensions/policies.h"

namespace toolway::extensions::redaction {
namespace {

const PolicyPtr& keys() {
  static const auto policy = test::policy("patterns: ['sk-[A-Za-z0-9]{8,}', 'tw_[0-9a-f]+']");
  return policy;
}

const Json& arguments() {
  static const auto value = Json::parse(
      R"({"password": "p/ss w\"rd", "pin": 123456, "on": "yes", "deep": {"a": ["token-1"]}})");
  return value;
}

Mask mask() { return {keys(), arguments(), {"/password", "/pin", "/on", "/deep", "/none"}}; }

TEST(Mask, HidesNothingOfItself) {
  EXPECT_TRUE(Mask().empty());
  EXPECT_TRUE(Mask(test::policy("rules: []"), arguments(), {}).empty());
  EXPECT_FALSE(mask().empty());
  EXPECT_EQ(mask().text("nothing to see, yes"), "nothing to see, yes");
}

TEST(Mask, HidesValuesHoweverTheyAreWritten) {
  for (const char* text : {"p/ss w\"rd", "p%2Fss%20w%22rd", "p%2fss%20w%22rd", "cC9zcyB3InJk",
                           "p/ss w\\\"rd", "123456", "token-1"})
    EXPECT_EQ(mask().text(std::string("a ") + text + " b"), "a [secret] b") << text;
}

TEST(Mask, HidesWhatPatternsMatch) {
  EXPECT_EQ(mask().text("keys sk-abcdefgh12 and tw_0af."), "keys [secret] and [secret].");
  EXPECT_EQ(mask().json(Json::parse(R"({"sk-abcdefgh12": ["x tw_0af", 7], "n": 123456})")),
            Json::parse(R"({"[secret]": ["x [secret]", 7], "n": "[secret]"})"));
}

TEST(Mask, NumbersThatPatternsMatchAreHiddenAsAWhole) {
  const auto policy = test::policy("patterns: ['[0-9]{16}']");
  EXPECT_EQ(Mask(policy, {}, {})
                .json(Json::parse(R"({"card": 4111111111111111, "n": [41111, -42, true, null]})")),
            Json::parse(R"({"card": "[secret]", "n": [41111, -42, true, null]})"));
  EXPECT_EQ(matched_places(*policy, Json::parse(R"({"card": 4111111111111111, "n": [1]})")),
            std::vector<std::string>{"/card"});
}

TEST(Mask, WhatMatchesIsNotTakenForAReplacement) {
  const auto policy = test::policy(R"(patterns: ['a\\1', '(b)(c)'])");
  EXPECT_EQ(Mask(policy, {}, {}).text("bc"), "[secret]");
}

TEST(Mask, MatchedPlacesAreHiddenAsAWhole) {
  const auto value = Json::parse(
      R"({"prompt": "my key is sk-abcdefgh12", "n": 1, "list": ["x", "tw_0"], "o": {"tw_1": 2}})");
  EXPECT_EQ(matched_places(*keys(), value), (std::vector<std::string>{"/list/1", "/o", "/prompt"}));
  EXPECT_TRUE(matched_places(*test::policy("rules: []"), value).empty());
  Json many = Json::array();
  for (int i = 0; i < 100; ++i) many.push_back("tw_0");
  EXPECT_EQ(matched_places(*keys(), many), std::vector<std::string>{""});
}

}  // namespace
}  // namespace toolway::extensions::redaction
