#include <gtest/gtest.h>

#include "tests/unit/chaos/talk_runs.h"

namespace toolway::chaos {
namespace {

template <typename Change>
std::uint64_t violations(Property property, Change change) {
  auto run = talk_in_order();
  change(run);
  return run.judged()[property].violated;
}

TEST(CheckTurnCalls, FindsACallThatWasMadeTwice) {
  EXPECT_EQ(violations(Property::kTurnCalls,
                       [](TalkRun& run) { run.calls.push_back(call_of_turn("c2", kPlanned)); }),
            1U);
}

TEST(CheckTurnCalls, FindsACallThatNoMessageAsksFor) {
  EXPECT_EQ(
      violations(Property::kTurnCalls,
                 [](TalkRun& run) { run.calls.push_back(call_of_turn("c2", "tok.u1.t0-8_1.")); }),
      1U);
}

TEST(CheckTurnCalls, FindsACallOfAnotherSessionsTurn) {
  EXPECT_EQ(violations(Property::kTurnCalls, [](TalkRun& run) { run.calls[0].parent = "t9"; }), 1U);
}

TEST(CheckTurnCalls, FindsACallThatDidNotEnd) {
  EXPECT_EQ(violations(Property::kOneCompletion, [](TalkRun& run) { run.calls[0].outcome = ""; }),
            1U);
}

TEST(CheckTurnCalls, FindsACallThatIsSaidNotToHaveStarted) {
  EXPECT_EQ(violations(Property::kTurnCalls,
                       [](TalkRun& run) {
                         run.result() = {{"call_id", "a"},
                                         {"text", "the call was never started: the turn ended"}};
                       }),
            1U);
}

TEST(CheckTurnCalls, FindsTheResultOfAnotherCall) {
  EXPECT_EQ(violations(Property::kTurnCalls,
                       [](TalkRun& run) {
                         run.calls.push_back(call_of_turn("c2", "tok.u1.t0-1_2."));
                         run.result()["ran_as"] = "c2";
                       }),
            1U);
  EXPECT_EQ(violations(Property::kTurnCalls,
                       [](TalkRun& run) {
                         run.result() = {
                             {"call_id", "a"}, {"text", "tok.u1.t0-1_2."}, {"ran_as", "c1"}};
                       }),
            1U);
}

TEST(CheckTurnCalls, FindsAResultOfACallThatFailed) {
  EXPECT_EQ(violations(Property::kTurnCalls,
                       [](TalkRun& run) {
                         run.calls[0].outcome = "failed";
                         run.result() = {{"call_id", "a"}, {"text", kPlanned}, {"ran_as", "c1"}};
                       }),
            1U);
}

TEST(CheckTold, FindsAnEndThatIsToldTwice) {
  EXPECT_EQ(violations(Property::kTold,
                       [](TalkRun& run) { run.messages()[5].body = run.messages()[4].body; }),
            1U);
}

TEST(CheckTold, FindsAnEndThatIsNotTold) {
  const auto not_told = [](TalkRun& run) { run.messages()[4].body.erase("about"); };
  EXPECT_EQ(violations(Property::kTold, not_told), 1U);
  EXPECT_EQ(violations(Property::kTold,
                       [&](TalkRun& run) {
                         not_told(run);
                         run.conversations.push_back(
                             {.id = "v2", .user = "u1", .session = "s1", .number = 2});
                       }),
            0U)
      << "a conversation that was left is told nothing";
}

TEST(CheckTold, FindsAnEndOfACallThatNoModelMadeWhichIsNotTold) {
  EXPECT_EQ(violations(Property::kTold, [](TalkRun& run) { run.talks[0].elsewhere = {"c7"}; }), 1U);
}

TEST(CheckTold, FindsAnEndThatWasToldTooEarly) {
  EXPECT_EQ(violations(Property::kTold, [](TalkRun& run) { run.calls[0].outcome = ""; }), 1U);
  EXPECT_EQ(violations(Property::kTold, [](TalkRun& run) { run.calls[0].session = "s2"; }), 1U);
}

TEST(CheckTold, FindsAnotherResultThanTheCallHas) {
  EXPECT_EQ(violations(Property::kTold,
                       [](TalkRun& run) { run.messages()[4].body["text"] = "[[SYSTEM: …]]"; }),
            1U);
}

}  // namespace
}  // namespace toolway::chaos
