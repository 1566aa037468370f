#include "tools/executors/mcp_client/calls_in_progress.h"

#include <gtest/gtest.h>

namespace toolway::tools::executors::mcp_client {
namespace {

class CallsInProgressTest : public testing::Test {
 protected:
  std::shared_ptr<WaitingCall> add(std::int64_t id) {
    auto waiting = std::make_shared<WaitingCall>();
    calls_.add(id, waiting);
    return waiting;
  }
  /// How a call ended: `answer`, `died`, `lost: …`, `unsent`.
  static std::string in_words(const CallEnd& end) {
    if (const auto* lost = std::get_if<AnswerLost>(&end)) return "lost: " + lost->what;
    if (std::holds_alternative<ServerDied>(end)) return "died";
    return std::holds_alternative<NotSent>(end) ? "unsent" : "answer";
  }

  CallsInProgress calls_;
  CallsInProgress::Ends ends_;
};

TEST_F(CallsInProgressTest, AnAnswerEndsItsCallOnce) {
  const auto first = add(1);
  add(2);
  calls_.end(1, Json("a"), ends_);
  ASSERT_EQ(ends_.size(), 1U);
  EXPECT_EQ(ends_[0].first, first);
  EXPECT_EQ(in_words(ends_[0].second), "answer");
  calls_.end(1, Json("b"), ends_);
  calls_.end(7, Json("c"), ends_);
  EXPECT_EQ(ends_.size(), 1U);
}

TEST_F(CallsInProgressTest, ACallThatNoLongerWaitsGetsNothing) {
  add(1);
  EXPECT_TRUE(calls_.forget(1));
  EXPECT_FALSE(calls_.forget(1));
  calls_.end(1, Json("a"), ends_);
  EXPECT_TRUE(ends_.empty());
}

TEST_F(CallsInProgressTest, AReportReachesTheCallThatItNames) {
  const auto first = add(1);
  const auto second = add(2);
  calls_.report({.token = std::int64_t{2}, .progress = 5});
  calls_.report({.token = std::int64_t{3}, .progress = 6});
  calls_.report({.token = std::string("1"), .progress = 7});
  for (const auto& call : {first, second}) call->end(ServerDied{});
  EXPECT_TRUE(first->next({}, MonotonicTime::max()).reports.empty());
  const auto step = second->next({}, MonotonicTime::max());
  ASSERT_EQ(step.reports.size(), 1U);
  EXPECT_EQ(step.reports[0].progress, 5);
}

TEST_F(CallsInProgressTest, WhatCannotBeReadEndsTheCallItIsForOrAll) {
  add(1);
  const auto second = add(2);
  add(3);
  calls_.lose({.id = 2, .what = "deep"}, ends_);
  ASSERT_EQ(ends_.size(), 1U);
  EXPECT_EQ(ends_[0].first, second);
  EXPECT_EQ(in_words(ends_[0].second), "lost: deep");
  calls_.lose({.id = std::nullopt, .what = "noise"}, ends_);
  ASSERT_EQ(ends_.size(), 3U);
  for (std::size_t i = 1; i < ends_.size(); ++i) {
    EXPECT_TRUE(ends_[i].first);
    EXPECT_EQ(in_words(ends_[i].second), "lost: noise");
  }
  EXPECT_FALSE(calls_.forget(1));
}

TEST_F(CallsInProgressTest, AQuestionReachesTheOnlyCallThatMayHaveAskedIt) {
  const mcp::Request question{.id = "q", .method = "elicitation/create"};
  EXPECT_FALSE(calls_.ask(question)) << "of no call";
  const auto first = add(1);
  EXPECT_TRUE(calls_.ask(question));
  EXPECT_EQ(first->next({}, MonotonicTime::max()).asked.size(), 1U);
  add(2);
  EXPECT_FALSE(calls_.ask(question)) << "of one of two";
  calls_.end(2, Json("a"), ends_);
  EXPECT_TRUE(calls_.ask(question));
  calls_.withdraw("q");
  EXPECT_EQ(first->next({}, MonotonicTime::max()).asked.size(), 2U);
}

TEST_F(CallsInProgressTest, ACallThatWasGivenUpMayStillAskUntilItIsAnswered) {
  const mcp::Request question{.id = "q", .method = "elicitation/create"};
  add(1);
  add(2);
  calls_.forget(1);
  EXPECT_FALSE(calls_.ask(question));
  calls_.end(1, Json("late"), ends_);
  EXPECT_TRUE(calls_.ask(question));
  calls_.lose({.id = std::nullopt, .what = "noise"}, ends_);
  add(3);
  EXPECT_FALSE(calls_.ask(question)) << "the second one may still run";
  calls_.server_died({});
  add(1);
  EXPECT_TRUE(calls_.ask(question)) << "of another process";
}

TEST_F(CallsInProgressTest, MoreQuestionsThanACallTakesAreNotKept) {
  add(1);
  for (std::size_t i = 0; i < WaitingCall::kMaxAsked; ++i)
    EXPECT_TRUE(calls_.ask({.id = "q", .method = "elicitation/create"}));
  EXPECT_FALSE(calls_.ask({.id = "q", .method = "elicitation/create"}));
}

TEST_F(CallsInProgressTest, WhenTheServerDiesOnlyWhatWasNotSentMayBeSentAgain) {
  add(1);
  add(2);
  const auto ends = calls_.server_died({2});
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(in_words(ends[0].second), "died");
  EXPECT_EQ(in_words(ends[1].second), "unsent");
  EXPECT_TRUE(calls_.server_died({}).empty());
}

}  // namespace
}  // namespace toolway::tools::executors::mcp_client
