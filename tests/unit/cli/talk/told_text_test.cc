#include "cli/talk/told_text.h"

#include <gtest/gtest.h>

namespace toolway::cli::talk {
namespace {

TEST(ToldText, WhatAnotherAttemptTellsAgainIsNotNew) {
  ToldText told;
  EXPECT_EQ(told.add("I look.").text, "I look.");
  told.end_message();
  EXPECT_EQ(told.add("One").text, "One");
  told.begin_attempt();
  EXPECT_EQ(told.add("I ").text, "");
  EXPECT_EQ(told.add("look.").text, "");
  told.end_message();
  EXPECT_EQ(told.add("One two").text, " two") << "the attempt before it could not tell";
  told.begin_attempt();
  for (const auto* piece : {"I look.", "One two"}) EXPECT_EQ(told.add(piece).text, "");
  const auto more = told.add(" three");
  EXPECT_EQ(more.text, " three");
  EXPECT_FALSE(more.begins_again);
}

TEST(ToldText, AMessageThatIsAnotherOneBeginsAgain) {
  ToldText told;
  told.add("I look.");
  told.end_message();
  told.add("One two");
  told.begin_attempt();
  told.add("I look.");
  told.end_message();
  EXPECT_FALSE(told.add("One").begins_again);
  const auto differs = told.add(" and two");
  EXPECT_TRUE(differs.begins_again);
  EXPECT_EQ(differs.text, "One and two");
  const auto more = told.add(".");
  EXPECT_FALSE(more.begins_again);
  EXPECT_EQ(more.text, ".");
}

}  // namespace
}  // namespace toolway::cli::talk
