#include "extensions/chain/policy_board.h"

#include "tests/unit/extensions/policies.h"

namespace toolway::extensions::chain {
namespace {

struct Entry {
  std::string key;
  std::string value;
};

std::string stored(std::uint64_t number, std::string text) {
  return reader::encode({.number = number, .by = "ann", .at = "", .text = std::move(text)});
}

TEST(PolicyBoard, KnowsNothingUntilTheBucketWasRead) {
  PolicyBoard board;
  EXPECT_FALSE(board.known());
  board.take_entries(std::vector<Entry>{{"version.1", "x"}}, false);
  EXPECT_FALSE(board.known()) << "a change of something else";
  board.take_entries(std::vector<Entry>{}, true);
  EXPECT_TRUE(board.known());
  EXPECT_EQ(board.in_force(), nullptr);
}

TEST(PolicyBoard, ThatLastPutIsInForce) {
  PolicyBoard board;
  board.take_entries(
      std::vector<Entry>{{"extensions", stored(1, "")}, {"extensions", stored(2, "")}}, true);
  EXPECT_EQ(board.in_force()->number, 2U);
  board.take_entries(std::vector<Entry>{{"extensions", stored(3, "rules: [{name: a, refuse: x}]")}},
                     false);
  EXPECT_EQ(board.in_force()->number, 3U);
  EXPECT_EQ(board.in_force()->policy->rules.size(), 1U);
  board.take_entries(std::vector<Entry>{}, true);
  EXPECT_EQ(board.in_force(), nullptr) << "it is gone";
}

TEST(PolicyBoard, WhatCannotBeReadChangesNothing) {
  PolicyBoard board;
  for (const auto& bad : {stored(1, "rules: [{name: a, future: x}]"), std::string("{")}) {
    board.take(bad);
    EXPECT_FALSE(board.known()) << "there was no good one";
    EXPECT_NE(board.trouble(), "");
  }
  board.take(stored(2, "roles: {}"));
  EXPECT_TRUE(board.known());
  EXPECT_EQ(board.trouble(), "");
  board.take(stored(3, "rules: [{name: a, future: x}]"));
  EXPECT_TRUE(board.known());
  EXPECT_EQ(board.in_force()->number, 2U) << "the last good one";
  EXPECT_NE(board.trouble().find("version 3:1: unknown field `future`"), std::string::npos)
      << board.trouble();
}

TEST(PolicyBoard, GrantsAreThoseOfThePolicyInForce) {
  PolicyBoard board;
  EXPECT_EQ(board.grants_of(test::user("ann")), nullptr);
  board.take(stored(1, "roles: {}"));
  const auto grants = board.grants_of(test::user("ann"));
  ASSERT_TRUE(grants);
  EXPECT_FALSE(grants->may_open("*"));
}

}  // namespace
}  // namespace toolway::extensions::chain
