#include <gtest/gtest.h>

#include "tests/unit/chaos/mcp_runs.h"

namespace toolway::chaos {
namespace {

Verdicts judged(const std::vector<RpcStretch>& stretches,
                const SessionEnd& end = asking_session()) {
  std::vector<const RpcStretch*> all;
  for (const auto& stretch : stretches) all.push_back(&stretch);
  Verdicts verdicts;
  check_streams(end, all, verdicts);
  return verdicts;
}

std::uint64_t strays(const RpcStretch& stretch) {
  return judged({stretch})[Property::kRpcStream].violated;
}

/// Broken off before message `at`, and resumed there.
std::vector<RpcStretch> in_two(std::ptrdiff_t at, const std::string& after) {
  auto first = whole_stream();
  auto second = whole_stream();
  first.messages.erase(first.messages.begin() + at, first.messages.end());
  second.messages.erase(second.messages.begin(), second.messages.begin() + at);
  second.after = after;
  second.at_us = 300;
  return {first, second};
}

TEST(CheckStreams, FindsNothingWhereAllIsWell) { EXPECT_TRUE(judged({whole_stream()}).clean()); }

TEST(CheckStreams, AllowsOneThatBreaksOff) {
  auto stretch = whole_stream();
  stretch.messages.resize(2);
  EXPECT_TRUE(judged({stretch}).clean());
}

TEST(CheckStreams, FindsProgressAfterTheAnswer) {
  auto stretch = whole_stream();
  stretch.messages.push_back(progress(3, 24));
  EXPECT_GE(strays(stretch), 1U);
}

TEST(CheckStreams, FindsASecondAnswer) {
  auto stretch = whole_stream();
  stretch.messages.push_back(answered(22));
  EXPECT_GE(strays(stretch), 1U);
}

TEST(CheckStreams, FindsTheAnswerToAnotherRequest) {
  auto stretch = whole_stream();
  stretch.messages.back().id = "8";
  EXPECT_EQ(strays(stretch), 1U);
}

TEST(CheckStreams, FindsAMessageOfAnotherCall) {
  auto stretch = whole_stream();
  stretch.messages.back().token = "tok.u1.2.";
  EXPECT_EQ(strays(stretch), 1U);
  stretch = whole_stream();
  stretch.messages[3].call_id = "c2";
  EXPECT_EQ(strays(stretch), 1U);
}

TEST(CheckStreams, FindsProgressThatWasNotAskedFor) {
  auto stretch = whole_stream();
  stretch.progress_token.clear();
  EXPECT_GE(strays(stretch), 2U);
  stretch = whole_stream();
  stretch.messages[0].progress_token = "\"other\"";
  EXPECT_EQ(strays(stretch), 1U);
}

TEST(CheckStreams, FindsALogThatWasNotAskedFor) {
  auto stretch = whole_stream();
  stretch.logs = false;
  EXPECT_GE(strays(stretch), 1U);
}

TEST(CheckStreams, FindsProgressThatDoesNotRise) {
  auto stretch = whole_stream();
  std::swap(stretch.messages[0], stretch.messages[2]);
  EXPECT_GE(strays(stretch), 1U);
}

TEST(CheckStreams, FindsWhatIsMissing) {
  for (const int at : {0, 1, 2}) {
    auto stretch = whole_stream();
    stretch.messages.erase(stretch.messages.begin() + at);
    EXPECT_EQ(strays(stretch), 1U) << at;
  }
}

TEST(CheckStreams, FindsTheIdOfAnotherEvent) {
  auto stretch = whole_stream();
  stretch.messages[1].at = EventId{1, 16};
  EXPECT_EQ(strays(stretch), 1U);
}

TEST(CheckStreams, AllowsAnExactResume) {
  EXPECT_TRUE(judged(in_two(0, "0")).clean());
  EXPECT_TRUE(judged(in_two(1, "1-12")).clean());
  EXPECT_TRUE(judged(in_two(3, "1-16")).clean());
}

TEST(CheckStreams, FindsAGapOfAResumedStream) {
  EXPECT_EQ(judged(in_two(2, "1-12"))[Property::kRpcResume].violated, 1U);
}

TEST(CheckStreams, FindsWhatAResumedStreamRepeats) {
  auto streams = in_two(1, "1-14");
  streams[1].progress_token = "\"p\"";
  EXPECT_EQ(judged(streams)[Property::kRpcResume].violated, 1U);
}

TEST(CheckStreams, FindsProgressThatFallsOnAResumedStream) {
  auto streams = in_two(2, "1-14");
  streams[0].messages[0].progress = 5;
  EXPECT_GE(judged(streams)[Property::kRpcStream].violated, 1U);
}

TEST(CheckStreams, WhatASecondAttemptRepeatsIsNotShown) {
  auto end = asking_session();
  auto& page = end.views[0].page;
  page[3].progress = 1;
  auto stretch = whole_stream();
  stretch.messages.erase(stretch.messages.begin() + 2);
  EXPECT_TRUE(judged({stretch}, end).clean());
}

TEST(CheckStreams, LeavesOutWhatOnlySaysThatTheCallRuns) {
  auto stretch = whole_stream();
  auto life = progress(1.000001, 12);
  life.life = true;
  stretch.messages.insert(stretch.messages.begin() + 1, life);
  EXPECT_TRUE(judged({stretch}).clean());
  stretch.messages[1].progress = 1;
  EXPECT_EQ(strays(stretch), 1U);
}

TEST(CheckStreams, ARetryBeginsAfterItsQuestion) {
  auto stretch = whole_stream();
  stretch.revision = "2026-07-28";
  stretch.goes_on = true;
  stretch.messages = {answered(22)};
  EXPECT_TRUE(judged({stretch}).clean());
  stretch.messages = {progress(2, 16), answered(22)};
  EXPECT_EQ(strays(stretch), 1U);
}

TEST(CheckStreams, ARetryMayBeAskedWhatStillWaits) {
  auto stretch = whole_stream();
  stretch.goes_on = true;
  auto asks = question(18);
  asks.kind = Kind::kAnswer;
  asks.id = "7";
  asks.at.reset();
  stretch.messages = {asks};
  EXPECT_TRUE(judged({stretch}).clean());
}

TEST(CheckStreams, FindsAQuestionTwiceOnOneStream) {
  auto stretch = whole_stream();
  stretch.messages.insert(stretch.messages.begin() + 3, question(18));
  EXPECT_EQ(judged({stretch})[Property::kQuestions].violated, 1U);
}

TEST(CheckStreams, FindsAnotherUsersToken) {
  auto stretch = whole_stream();
  stretch.messages.back().owners = "u1 u2";
  EXPECT_EQ(judged({stretch})[Property::kPrivacy].violated, 1U);
}

}  // namespace
}  // namespace toolway::chaos
