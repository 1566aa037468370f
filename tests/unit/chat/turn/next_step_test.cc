#include "chat/turn/next_step.h"

#include <gtest/gtest.h>

#include "tests/unit/chat/messages.h"

namespace toolway::chat::turn {
namespace {

using test::calls;
using test::results;
using test::says;
using test::user;
using tools::messages::Finish;
using tools::messages::Message;
using tools::messages::Role;
using How = EndTurn::How;

Message finished(Message message, Finish finish) {
  message.finish = finish;
  return message;
}

How how(const std::vector<Message>& messages, const TurnLimits& limits = {}) {
  const auto step = next_step(messages, limits);
  const auto* end = std::get_if<EndTurn>(&step);
  EXPECT_NE(end, nullptr) << step.index();
  return end != nullptr ? end->how : How::kNothingToDo;
}

template <typename Step>
bool is(const std::vector<Message>& messages, const TurnLimits& limits = {}) {
  return std::holds_alternative<Step>(next_step(messages, limits));
}

TEST(NextStep, OfAPlainTurn) {
  EXPECT_EQ(how({}), How::kNothingToDo);
  EXPECT_EQ(how({text_message(Role::kSystem, "s")}), How::kNothingToDo);
  std::vector<Message> messages{user("go")};
  EXPECT_TRUE(is<AskProvider>(messages));
  messages.push_back(calls({{"a", "t", "{}"}}));
  const auto step = next_step(messages, {});
  ASSERT_TRUE(std::holds_alternative<RunCalls>(step));
  EXPECT_EQ(std::get<RunCalls>(step).calls[0].id, "a");
  messages.push_back(results({{"a", "r"}}));
  EXPECT_TRUE(is<AskProvider>(messages));
  messages.push_back(says("done"));
  const auto end = next_step(messages, {});
  EXPECT_EQ(std::get<EndTurn>(end).text, "done");
  EXPECT_EQ(how(messages), How::kReplied);
  messages.push_back(text_message(Role::kInjected, "note"));
  EXPECT_TRUE(is<AskProvider>(messages));
}

TEST(NextStep, EndsAfterMaxIterationsOfThisTurn) {
  std::vector<Message> messages;
  for (int turn = 0; turn < 2; ++turn) {
    messages.push_back(user("go"));
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(is<AskProvider>(messages, {.max_iterations = 3}));
      const auto arguments = std::to_string(i);
      messages.push_back(calls({{"a", "t", arguments}}));
      EXPECT_TRUE(is<RunCalls>(messages, {.max_iterations = 3}));
      messages.push_back(results({{"a", "r"}}));
    }
    EXPECT_EQ(how(messages, {.max_iterations = 3}), How::kMaxIterations);
    EXPECT_EQ(std::get<EndTurn>(next_step(messages, {.max_iterations = 3})).text,
              "Max iterations reached");
  }
  EXPECT_EQ(iterations_of(messages), 3u);
}

TEST(NextStep, EndsWhenTheSameCallFailsFiveTimes) {
  std::vector<Message> messages{user("go")};
  const auto fail_once = [&messages](const std::string& arguments, bool is_error) {
    messages.push_back(calls({{"a", "t", arguments}}));
    messages.push_back(results({{.call_id = "a", .text = "r", .is_error = is_error}}));
  };
  for (int i = 0; i < 4; ++i) fail_once("1", true);
  EXPECT_TRUE(is<AskProvider>(messages));
  fail_once("2", true);  // another call
  for (int i = 0; i < 4; ++i) fail_once("1", true);
  EXPECT_TRUE(is<AskProvider>(messages));
  auto recovered = messages;
  fail_once("1", true);
  EXPECT_EQ(how(messages, {.max_iterations = 100}), How::kRepeats);
  messages = recovered;
  fail_once("1", false);
  EXPECT_TRUE(is<AskProvider>(messages, {.max_iterations = 100}));
}

TEST(NextStep, EqualFailuresOfOneMessageCountOnce) {
  std::vector<Message> messages{user("go")};
  for (int message = 1; message <= 5; ++message) {
    messages.push_back(calls({}));
    messages.push_back(results({}));
    for (int i = 0; i < 5; ++i) {
      const auto id = "a" + std::to_string(i);
      messages[messages.size() - 2].parts.push_back(
          {.kind = tools::messages::Part::Kind::kCall, .call = {id, "t", "{}"}});
      messages.back().results.push_back({.call_id = id, .text = "r", .is_error = true});
    }
    if (message < 5) {
      EXPECT_TRUE(is<AskProvider>(messages)) << message;
    }
  }
  EXPECT_EQ(how(messages), How::kRepeats);
}

TEST(NextStep, WhatWasCutOffNeverRuns) {
  std::vector<Message> messages{user("go"), finished(calls({{"a", "t", "{"}}), Finish::kLength)};
  auto step = next_step(messages, {});
  ASSERT_TRUE(std::holds_alternative<DropCalls>(step));
  EXPECT_EQ(std::get<DropCalls>(step).why, tools::messages::Interruption::kCutOff);
  messages.push_back(results({{.call_id = "a", .text = "cut", .is_error = true}}));
  EXPECT_EQ(how(messages), How::kCutOff);
  EXPECT_EQ(how({user("go"), finished(says("half a"), Finish::kLength)}), How::kCutOff);
}

TEST(NextStep, RefusalAndFilterEndTheTurnUnderTheirOwnName) {
  EXPECT_EQ(how({user("go"), finished(says("no"), Finish::kRefusal)}), How::kRefused);
  EXPECT_EQ(how({user("go"), finished(says(""), Finish::kFiltered)}), How::kFiltered);
  const std::vector<Message> messages{user("go"),
                                      finished(calls({{"a", "t", "{}"}}), Finish::kRefusal)};
  const auto step = next_step(messages, {});
  ASSERT_TRUE(std::holds_alternative<DropCalls>(step));
  EXPECT_EQ(std::get<DropCalls>(step).why, tools::messages::Interruption::kNeverStarted);
}

TEST(NextStep, WhatTheModelHadSaidByTheStopEndsTheTurn) {
  EXPECT_EQ(how({user("go"), finished(says("Once upon"), Finish::kStopped)}), How::kStopped);
  const std::vector<Message> messages{user("go"),
                                      finished(calls({{"a", "t", "{}"}}), Finish::kStopped)};
  EXPECT_TRUE(std::holds_alternative<DropCalls>(next_step(messages, {}))) << "as of an import";
}

TEST(NextStep, TheTextOfAnEndIsTheModelsAndTheNoticeSaysWhatHappened) {
  const auto end_of = [](const std::vector<Message>& messages) {
    return std::get<EndTurn>(next_step(messages, {}));
  };
  for (const auto finish : {Finish::kLength, Finish::kRefusal, Finish::kFiltered}) {
    const auto end = end_of({user("go"), finished(says("Half a "), finish)});
    EXPECT_EQ(end.text, "Half a ");
    EXPECT_FALSE(end.notice.empty());
    EXPECT_EQ(end_of({user("go"), finished(says(""), finish)}).text, "");
  }
  auto cut = finished(calls({{"a", "t", "{"}}), Finish::kLength);
  cut.parts.insert(cut.parts.begin(), {.text = "Let me"});
  const auto end =
      end_of({user("go"), cut, results({{.call_id = "a", .text = "cut", .is_error = true}})});
  EXPECT_EQ(end.text, "Let me");
  EXPECT_TRUE(end_of({user("go"), says("done")}).notice.empty());
}

TEST(NextStep, TheUsageIsThatOfTheTurnThatIsRunning) {
  const auto counted = [](Message message) {
    message.usage = tools::messages::Usage{.input = 10, .output = 2};
    return message;
  };
  const auto usage =
      usage_of({user("one"), counted(says("yes")), user("two"), counted(calls({{"a", "t", "{}"}})),
                results({{"a", "r"}}), says("not counted"), counted(says("done"))});
  EXPECT_EQ(usage.input, 20U);
  EXPECT_EQ(usage.output, 4U);
  EXPECT_EQ(usage_of({}).input, 0U);
}

TEST(NextStep, APausedTurnContinuesUntilItsLimit) {
  std::vector<Message> messages{user("go")};
  for (int i = 0; i < 3; ++i) {
    messages.push_back(finished(says("…"), Finish::kPaused));
    if (i < 2) {
      EXPECT_TRUE(is<AskProvider>(messages, {.max_iterations = 3}));
    }
  }
  EXPECT_EQ(how(messages, {.max_iterations = 3}), How::kMaxIterations);
}

}  // namespace
}  // namespace toolway::chat::turn
