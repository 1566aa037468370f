#include "tools/messages/history.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/tools/messages/messages.h"

namespace toolway::tools::messages {
namespace {

using test::calls;
using test::results;
using test::says;
using test::user;

TEST(History, PutsResultsIntoTheModelsOrder) {
  History history;
  ASSERT_TRUE(history.append(user("go")));
  ASSERT_TRUE(history.append(calls({{"a", "t", "{}"}, {"b", "t", "{}"}, {"c", "t", "{}"}})));
  ASSERT_NE(history.open(), nullptr);
  ASSERT_TRUE(
      history.append(results({{"c", "3"}, {"stranger", "x"}, {"a", "1"}, {"a", "one more"}})));
  const auto& last = history.messages().back().results;
  ASSERT_EQ(last.size(), 3u);
  EXPECT_EQ(last[0].text, "1");
  EXPECT_EQ(last[1].call_id, "b");
  EXPECT_TRUE(last[1].is_error);
  EXPECT_EQ(last[1].text, interrupted_result("b", Interruption::kUnknown).text);
  EXPECT_EQ(last[2].text, "3");
  EXPECT_EQ(history.open(), nullptr);
}

TEST(History, TakesNothingBetweenCallsAndResults) {
  History history;
  EXPECT_FALSE(history.append(results({{"a", "1"}})));
  ASSERT_TRUE(history.append(calls({{"a", "t", "{}"}})));
  EXPECT_FALSE(history.append(user("wait")));
  EXPECT_FALSE(history.append(says("and")));
  EXPECT_EQ(history.messages().size(), 1u);
}

TEST(History, ReplacesIdsThatNoApiCouldPair) {
  History history;
  const std::string long_id(41, 'x');
  ASSERT_TRUE(history.append(calls(
      {{"", "t", "1"}, {"a", "t", "2"}, {"a", "t", "3"}, {"b c", "t", "4"}, {long_id, "t", "5"}})));
  const auto made = calls_of(history.messages().back());
  EXPECT_EQ(made[0].id, "call_0_0");
  EXPECT_EQ(made[1].id, "a");
  EXPECT_EQ(made[2].id, "call_0_2");
  EXPECT_EQ(made[3].id, "call_0_3");
  EXPECT_EQ(made[4].id, "call_0_4");
  EXPECT_EQ(made[2].arguments, "3");
  EXPECT_TRUE(history.repair(Interruption::kStopped));
  // Some servers count from call_0 in each message.
  ASSERT_TRUE(history.append(calls({{"a", "t", "{}"}, {"call_0_0", "t", "{}"}})));
  EXPECT_EQ(calls_of(history.messages().back())[0].id, "call_2_0");
  EXPECT_EQ(calls_of(history.messages().back())[1].id, "call_2_1");
}

// A turn reads a part of a long conversation, and so does not see that an earlier call has the id.
TEST(History, AResultStaysWithACallWhoseIdAnEarlierMessageHas) {
  History history;
  ASSERT_TRUE(history.append(calls({{"a", "t", "1"}, {"b", "t", "2"}})));
  ASSERT_TRUE(history.append(results({{"a", "one"}, {"b", "two"}})));
  ASSERT_TRUE(history.append(calls({{"c", "t", "3"}, {"a", "t", "4"}})));
  ASSERT_TRUE(history.append(results({{"c", "three"}, {"a", "four"}})));
  const auto& last = history.messages().back().results;
  EXPECT_EQ(last[0].text, "three");
  EXPECT_EQ(last[1].text, "four");
  EXPECT_EQ(last[1].call_id, "call_2_1");
  // One with an id that no call has ever had is not a result.
  ASSERT_TRUE(history.append(calls({{"d", "t", "5"}})));
  ASSERT_TRUE(history.append(results({{"stranger", "x"}})));
  EXPECT_TRUE(history.messages().back().results[0].is_error);
}

TEST(History, RenamesTheCallInTheProvidersOwnForm) {
  History history;
  auto message = calls({{"", "t", "{}"}, {"", "t", "{}"}});
  message.parts[0].native = Native{"openai-responses", {{"id", "fc_1"}, {"call_id", ""}}};
  message.parts[1].native = Native{"openai", {{"extra_content", 1}}};
  ASSERT_TRUE(history.append(message));
  const auto& parts = history.messages().back().parts;
  EXPECT_EQ(parts[0].native->value["call_id"], "call_0_0");
  EXPECT_EQ(parts[0].native->value["id"], "fc_1");
  EXPECT_EQ(parts[1].native->value["id"], "call_0_1");
}

TEST(History, RepairSaysWhatIsKnown) {
  History history;
  EXPECT_FALSE(history.repair(Interruption::kUnknown));
  ASSERT_TRUE(history.append(calls({{"a", "t", "{}"}, {"b", "t", "{}"}})));
  const std::vector<CallResult> known{{"b", "it was done after all"}};
  EXPECT_TRUE(history.repair(Interruption::kNeverStarted, known));
  EXPECT_FALSE(history.repair(Interruption::kNeverStarted, known));
  const auto& last = history.messages().back().results;
  EXPECT_EQ(last[0].text, "tool_error: the call was never started: the turn ended before it");
  EXPECT_EQ(last[1].text, "it was done after all");
  EXPECT_TRUE(history.append(says("so")));
}

TEST(History, EveryInterruptionHasItsOwnWords) {
  std::set<std::string> texts;
  for (const auto what : {Interruption::kNeverStarted, Interruption::kStopped,
                          Interruption::kUnknown, Interruption::kCutOff}) {
    const auto result = interrupted_result("a", what);
    EXPECT_TRUE(result.is_error);
    EXPECT_TRUE(result.text.starts_with("tool_error: "));
    texts.insert(result.text);
  }
  EXPECT_EQ(texts.size(), 4u);
}

}  // namespace
}  // namespace toolway::tools::messages
