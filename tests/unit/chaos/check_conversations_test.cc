#include <gtest/gtest.h>

#include "tests/unit/chaos/talk_runs.h"

namespace toolway::chaos {
namespace {

/// How often a property is violated in a run that is in order except for what `change` does.
template <typename Change>
std::uint64_t violations(Property property, Change change) {
  auto run = talk_in_order();
  change(run);
  return run.judged()[property].violated;
}

TEST(CheckTurns, FindsNothingWhereAllIsWell) {
  const auto verdicts = talk_in_order().judged();
  EXPECT_TRUE(verdicts.clean());
  for (const auto property : {Property::kTurns, Property::kHistory, Property::kTurnCalls,
                              Property::kTold, Property::kLastTurn})
    EXPECT_GT(verdicts[property].checked, 0U) << property_text(property);
}

TEST(CheckTurns, FindsAMessageThatIsThereTwice) {
  EXPECT_EQ(violations(Property::kTurns,
                       [](TalkRun& run) {
                         run.messages().push_back({7, "t1", run.messages().front().body});
                       }),
            1U);
}

TEST(CheckTurns, FindsASuccessWithoutItsMessage) {
  EXPECT_EQ(violations(Property::kTurns,
                       [](TalkRun& run) { run.messages()[0].body = says("injected", "other"); }),
            1U);
}

TEST(CheckTurns, ATurnThatFailedMayHaveNoMessage) {
  auto run = talk_in_order();
  run.turns.push_back({.call_id = "t3",
                       .session = "s1",
                       .step = "send",
                       .token = "tok.u1.t0-2.",
                       .outcome = "failed",
                       .code = "conversation_busy",
                       .conversation = {},
                       .reply = {}});
  EXPECT_TRUE(run.judged().clean());
}

TEST(CheckTurns, FindsAMessageThatAnotherTurnStored) {
  EXPECT_EQ(
      violations(Property::kTurns,
                 [](TalkRun& run) { run.messages()[0].body = says("user", "plan: tok.u1.t0-9."); }),
      1U);
  EXPECT_GE(violations(Property::kTurns, [](TalkRun& run) { run.messages()[0].turn = "t2"; }), 1U);
}

TEST(CheckTurns, FindsAReplyThatIsNotInItsConversation) {
  EXPECT_EQ(violations(Property::kTurns, [](TalkRun& run) { run.turns[0].last_message = 3; }), 1U);
  EXPECT_EQ(violations(Property::kTurns, [](TalkRun& run) { run.messages()[3].turn = "t2"; }), 1U);
  EXPECT_EQ(violations(Property::kTurns, [](TalkRun& run) { run.turns[1].conversation = "v9"; }),
            1U);
}

TEST(CheckTurns, FindsTheReplyToAnother) {
  EXPECT_EQ(violations(Property::kTurns,
                       [](TalkRun& run) {
                         run.turns[0].reply = "Done with tok.u1.t0-9.";
                         run.messages()[3].body = says("assistant", run.turns[0].reply);
                       }),
            1U);
}

TEST(CheckTurns, FindsOneThatDidNotEnd) {
  const auto ended_as = [](const char* outcome) {
    return [outcome](TalkRun& run) { run.turns[1].outcome = outcome; };
  };
  EXPECT_EQ(violations(Property::kOneCompletion, ended_as("")), 1U);
  EXPECT_EQ(violations(Property::kTurns, ended_as("unknown")), 1U);
}

TEST(CheckTurns, FindsAConversationThatDoesNotAnswerAfterTheStorm) {
  EXPECT_EQ(violations(Property::kLastTurn, [](TalkRun& run) { run.turns[0].outcome = "failed"; }),
            1U);
  EXPECT_EQ(violations(Property::kLastTurn, [](TalkRun& run) { run.talks[0].last_turn = ""; }), 1U);
}

/// A second message, sent at a time; the end of the first turn was seen at 20.
TalkRun two_messages(std::int64_t sent_us) {
  auto run = talk_in_order();
  constexpr const char* kNext = "tok.u1.t0-2.";
  run.posts.front().at_us = 10;
  run.looks = {{.user = "u1", .owner = "u1", .call_id = "t1", .at_us = 20, .outcome = "succeeded"}};
  auto next = run.posts.front();
  next.token = kNext;
  next.call_id = "t3";
  next.at_us = sent_us;
  run.posts.push_back(next);
  run.turns.push_back({.call_id = "t3", .session = "s1", .step = "send", .token = kNext});
  // It is stored first.
  auto& messages = run.messages();
  messages.insert(messages.begin(), {0, "t3", says("user", std::string("plan: ") + kNext)});
  return run;
}

TEST(CheckOrder, FindsAMessageThatComesBeforeWhatHadEndedBefore) {
  const auto wrong = [](std::int64_t sent_us) {
    Verdicts verdicts;
    const auto run = two_messages(sent_us);
    check_order(
        {run.conversations, run.turns, run.calls, run.posts, run.looks, run.pages, run.talks},
        verdicts);
    return verdicts[Property::kTurns].violated;
  };
  EXPECT_EQ(wrong(15), 0U) << "they were sent while no end was known";
  EXPECT_EQ(wrong(25), 1U);
}

TEST(CheckOrder, FindsAMessageInTheConversationThatHadBeenLeft) {
  auto run = talk_in_order();
  run.conversations.insert(run.conversations.begin(), run.conversations.front());
  run.conversations.back().id = "v2";
  run.conversations.back().messages.clear();
  run.turns.push_back({.call_id = "t0",
                       .session = "s1",
                       .step = "new",
                       .token = "tok.u1.t0-0.",
                       .outcome = "succeeded",
                       .code = {},
                       .conversation = "v2"});
  run.posts.front().at_us = 30;
  run.posts.push_back({.session = "s1", .token = "tok.u1.t0-0.", .at_us = 5});
  run.looks = {{.user = "u1", .owner = "u1", .call_id = "t0", .at_us = 20, .outcome = "succeeded"}};
  Verdicts verdicts;
  check_order({run.conversations, run.turns, run.calls, run.posts, run.looks, run.pages, run.talks},
              verdicts);
  EXPECT_EQ(verdicts[Property::kTurns].violated, 1U);
}

TEST(CheckHistories, FindsAGap) {
  EXPECT_EQ(violations(Property::kHistory, [](TalkRun& run) { run.messages()[5].number = 7; }), 1U);
}

TEST(CheckHistories, FindsCallsWithoutTheirResults) {
  EXPECT_EQ(violations(Property::kHistory, [](TalkRun& run) { run.result()["call_id"] = "b"; }),
            1U);
  const auto open = [](TalkRun& run) { run.messages().resize(2); };
  EXPECT_EQ(violations(Property::kHistory, open), 1U);
}

TEST(CheckHistories, AConversationThatWasLeftMayEndWithCalls) {
  EXPECT_EQ(violations(Property::kHistory,
                       [](TalkRun& run) {
                         run.messages().resize(2);
                         run.conversations.push_back(
                             {.id = "v2", .user = "u1", .session = "s1", .number = 2});
                       }),
            0U);
}

TEST(CheckHistories, FindsResultsThatNoCallPrecedes) {
  EXPECT_EQ(violations(Property::kHistory,
                       [](TalkRun& run) { run.messages()[4].body = run.messages()[2].body; }),
            1U);
}

TEST(CheckHistories, FindsAnIdThatComesTwice) {
  EXPECT_EQ(violations(Property::kHistory,
                       [](TalkRun& run) {
                         auto again = run.messages();
                         run.messages().push_back({7, "t2", again[1].body});
                         run.messages().push_back({8, "t2", again[2].body});
                       }),
            1U);
}

TEST(CheckHistories, FindsAMessageByAnotherSessionsTurn) {
  EXPECT_EQ(violations(Property::kHistory, [](TalkRun& run) { run.messages()[4].turn = "t9"; }),
            1U);
}

TEST(CheckHistories, FindsAGatewayThatShowsOtherMessages) {
  EXPECT_EQ(violations(Property::kAgreement,
                       [](TalkRun& run) { run.conversations[0].shown[1].pop_back(); }),
            1U);
}

/// A page of the first messages of a conversation, as they are in the end.
MessagePage page_of(TalkRun& run, std::size_t count) {
  const auto& shown = run.conversations.front().shown.front();
  return {.user = "u1",
          .session = "s1",
          .gateway = "g0",
          .conversation = "v1",
          .messages = {shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(count)},
          .owners = "u1"};
}

TEST(CheckHistories, FindsAMessageThatWasAnotherBefore) {
  const auto page = [](std::size_t count, std::size_t changed) {
    return [count, changed](TalkRun& run) {
      run.pages = {page_of(run, count)};
      if (changed != 0) run.pages[0].messages[changed - 1].digest += 1;
    };
  };
  EXPECT_EQ(violations(Property::kHistory, page(6, 0)), 0U);
  EXPECT_EQ(violations(Property::kHistory, page(6, 3)), 1U);
  EXPECT_EQ(violations(Property::kHistory, page(3, 3)), 0U)
      << "what no message of the assistant follows may be lost";
  EXPECT_EQ(violations(Property::kHistory,
                       [&](TalkRun& run) {
                         page(6, 0)(run);
                         run.messages().resize(3);
                         run.messages()[1].body = says("user", "");
                       }),
            // It is gone, its results follow no call, and the page shows more.
            2U);
}

TEST(CheckHistories, FindsAPageWithAGapAndOneOfAnotherUser) {
  EXPECT_EQ(violations(Property::kHistory,
                       [](TalkRun& run) {
                         run.pages = {page_of(run, 6)};
                         run.pages[0].messages.erase(run.pages[0].messages.begin() + 2);
                       }),
            1U);
  EXPECT_EQ(violations(Property::kPrivacy,
                       [](TalkRun& run) {
                         run.pages = {page_of(run, 6)};
                         run.pages[0].owners = "u2";
                       }),
            1U);
}

TEST(CheckTakenOver, FindsATurnThatNoOtherProcessEnded) {
  const auto judged = [](const std::string& outcome) {
    auto turn = turn_end("t1", "send", kAsked, 4);
    turn.outcome = outcome;
    Verdicts verdicts;
    check_taken_over({{.worker = "w", .call_id = "t1", .tool = "turn"}}, {turn}, verdicts);
    return verdicts[Property::kTakenOver].violated;
  };
  EXPECT_EQ(judged("succeeded"), 0U);
  EXPECT_EQ(judged("cancelled"), 0U);
  EXPECT_EQ(judged(""), 1U);
  EXPECT_EQ(judged("unknown"), 1U);
}

}  // namespace
}  // namespace toolway::chaos
