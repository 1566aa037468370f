#include "chat/turns/turn_options.h"

#include <gtest/gtest.h>

namespace toolway::chat::turns {
namespace {

TEST(TurnOptions, AreTheUsualOnesUnlessTheTurnSaysOtherwise) {
  TurnOptions usual;
  usual.engine.system_prompt = "Be brief.";
  Mistakes mistakes;
  const auto same = read_turn_options(Json(), usual, mistakes);
  EXPECT_EQ(same.engine.system_prompt, "Be brief.");
  const auto read = read_turn_options(Json{{"temperature", 1.5},
                                           {"max_tokens", 100},
                                           {"max_iterations", 3},
                                           {"inline_ms", 0},
                                           {"tool_choice", "none"},
                                           {"on_completion", "turn"},
                                           {"inject", "progress"},
                                           {"enable_summarization", true},
                                           {"system_prompt", "Sing."}},
                                      usual, mistakes);
  EXPECT_EQ(mistakes.count(), 0U);
  EXPECT_EQ(read.engine.options.temperature, 1.5);
  EXPECT_EQ(read.engine.options.max_tokens, 100U);
  EXPECT_EQ(read.engine.limits.max_iterations, 3U);
  EXPECT_EQ(read.inline_ms, 0U);
  EXPECT_EQ(read.engine.options.tool_choice, "none");
  EXPECT_EQ(read.engine.system_prompt, "Sing.");
  EXPECT_TRUE(read.wakes);
  EXPECT_FALSE(same.wakes) << "it must be asked for";
  EXPECT_EQ(same.engine.inject, engine::Inject::kCompletions);
  EXPECT_EQ(read.engine.inject, engine::Inject::kProgress);
  EXPECT_FALSE(same.engine.enable_summarization);
  EXPECT_TRUE(read.engine.enable_summarization);
}

TEST(TurnOptions, AModelIsOneThatTheOperatorAllows) {
  TurnOptions usual;
  usual.engine.options.model = "small";
  usual.models = {"large"};
  Mistakes mistakes;
  for (const auto* model : {"small", "large"})
    EXPECT_EQ(read_turn_options(Json{{"model", model}}, usual, mistakes).engine.options.model,
              model);
  EXPECT_EQ(mistakes.count(), 0U);
  read_turn_options(Json{{"model", "huge"}}, usual, mistakes);
  ASSERT_EQ(mistakes.count(), 1U);
  EXPECT_NE(std::move(mistakes).take().front().text().find("large"), std::string::npos);
}

TEST(TurnOptions, AToolChoiceIsAWord) {
  Mistakes mistakes;
  read_turn_options(Json{{"tool_choice", ""}}, TurnOptions(), mistakes);
  EXPECT_EQ(mistakes.count(), 1U);
  EXPECT_EQ(with_options(Json{{"tool_choice", ""}}, Json(), TurnOptions()), Json::object());
}

TEST(TurnOptions, OfTheConversationAreKept) {
  TurnOptions usual;
  usual.engine.options.max_tokens = 500;
  EXPECT_EQ(with_options(Json(), Json(), usual), Json::object());
  EXPECT_EQ(with_options(Json{{"max_tokens", 5}, {"inline_ms", 0}}, Json{{"max_tokens", 6}}, usual),
            (Json{{"max_tokens", 6}, {"inline_ms", 0}}));
  EXPECT_EQ(with_options(Json{{"max_tokens", 501}, {"inline_ms", 0}}, Json(), usual),
            (Json{{"inline_ms", 0}}))
      << "the operator does not allow it any more";
}

TEST(TurnOptions, WhatIsToldNothingBeginsNoTurn) {
  Mistakes mistakes;
  const auto read = read_turn_options(Json{{"inject", "none"}, {"on_completion", "turn"}},
                                      TurnOptions(), mistakes);
  EXPECT_EQ(mistakes.count(), 0U);
  EXPECT_EQ(read.engine.inject, engine::Inject::kNone);
  EXPECT_FALSE(read.wakes);
}

TEST(TurnOptions, StayWithinTheOperatorsBounds) {
  TurnOptions usual;
  usual.engine.options.max_tokens = 500;
  usual.engine.limits.max_iterations = 5;
  usual.may_summarize = false;
  for (const Json& wrong :
       {Json{{"max_tokens", 501}}, Json{{"max_iterations", 6}}, Json{{"max_tokens", 0}},
        Json{{"temperature", 3}}, Json{{"inline_ms", 1e9}}, Json{{"model", "another"}},
        Json{{"enable_summarization", "yes"}}, Json{{"enable_summarization", true}},
        Json{{"on_completion", "now"}}, Json{{"inject", "all"}}, Json{{"system_prompt", 5}},
        Json::array()}) {
    Mistakes mistakes;
    read_turn_options(wrong, usual, mistakes);
    EXPECT_EQ(mistakes.count(), 1U) << wrong;
  }
  Mistakes mistakes;
  read_turn_options(Json{{"enable_summarization", false}}, usual, mistakes);
  EXPECT_EQ(mistakes.count(), 0U);
}

}  // namespace
}  // namespace toolway::chat::turns
