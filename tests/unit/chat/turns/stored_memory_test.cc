#include "chat/turns/stored_memory.h"

#include <gtest/gtest.h>

#include "tests/unit/chat/turns/stored_rows.h"

namespace toolway::chat::turns {
namespace {

using tools::messages::Role;

TEST(StoredMemory, ACallOfMessagesThatAreNotReadIsStillPending) {
  Rows rows;
  const auto memory = rows.open(rows.has);
  ASSERT_TRUE(memory->append(test::user("hash it")));
  ASSERT_TRUE(memory->append(test::says("It runs.")));
  ASSERT_TRUE(memory->append(test::user("hello")));
  rows.waiting = {{"old", "7-1"}};
  const auto again = rows.open({"u", 1}, 10);
  ASSERT_EQ(again->history().messages().size(), 1U);
  EXPECT_EQ(again->pending_calls(), std::vector<std::string>{"old"});
  EXPECT_EQ(again->told_progress(), (std::vector<tools::messages::ToldProgress>{{"old", "7-1"}}));
  rows.has = {"u", 1};
  ASSERT_TRUE(
      again->append({.role = Role::kInjected, .text = "half", .progress = {{"old", "7-2"}}}));
  EXPECT_EQ(again->told_progress(), (std::vector<tools::messages::ToldProgress>{{"old", "7-2"}}));
  ASSERT_TRUE(again->append({.role = Role::kInjected, .text = "it ended", .about = {"old"}}));
  EXPECT_TRUE(again->pending_calls().empty()) << "its end is told once";
}

TEST(StoredMemory, OnlyTheReplyReleasesTheConversation) {
  Rows rows;
  const auto memory = rows.open(rows.has);
  ASSERT_TRUE(memory->append(test::user("hash it")));
  ASSERT_TRUE(memory->append(test::calls({{"a", "t", "{}"}})));
  ASSERT_TRUE(memory->append(test::results({{"a", "found"}})));
  EXPECT_FALSE(memory->released());
  ASSERT_TRUE(memory->append(test::says("It is hashed.")));
  EXPECT_TRUE(memory->released());
  std::vector<bool> ends;
  for (const auto& row : rows.rows) ends.push_back(row.ends_turn);
  EXPECT_EQ(ends, std::vector<bool>({false, false, false, true}));
  const auto stopped = rows.open(rows.has);
  ASSERT_TRUE(stopped->append({.role = Role::kAssistant}));
  EXPECT_FALSE(rows.rows.back().ends_turn) << "its next attempt continues";
  const auto import = rows.open(rows.has);
  import->keep_each_at_once();
  ASSERT_TRUE(import->append(test::says("Of another conversation.")));
  EXPECT_FALSE(rows.rows.back().ends_turn) << "more messages follow";
}

// tests/chat/campaign found it: its message was lost, and the reply was that of the turn before.
TEST(StoredMemory, ATurnThatOnlyStoredResultsOfTheTurnBeforeItHasNotBegun) {
  Rows rows;
  const auto before = rows.open(rows.has);
  ASSERT_TRUE(before->append(test::user("one")));
  ASSERT_TRUE(before->append(test::calls({{"a", "t", "{}"}})));
  rows.has = {"u", 1};
  const auto killed = rows.open(rows.has);
  ASSERT_TRUE(killed->append(test::results({{"a", "found"}})));
  rows.has = {"u", 2};
  const auto again = rows.open(rows.has);
  EXPECT_FALSE(again->begun());
  ASSERT_TRUE(again->append(test::user("two")));
  EXPECT_TRUE(rows.open({"u", 3})->begun());
}

// The campaign found this, too: a turn's process was killed, the turn before it was tried again and
// replied, and the turn took that reply for its own.
TEST(StoredMemory, ATurnAfterWhoseMessageAnotherOneRepliedHasNotBegun) {
  Rows rows;
  rows.has = {"v", 1};
  ASSERT_TRUE(rows.open(rows.has)->append(test::user("two")));
  EXPECT_TRUE(rows.open({"v", 2})->begun());
  rows.has = {"u", 2};
  ASSERT_TRUE(rows.open(rows.has)->append(test::says("Done with one.")));
  EXPECT_FALSE(rows.open({"v", 2})->begun());
}

// Its process was killed between its last message and its call's completion.
TEST(StoredMemory, ATurnThatHasRepliedHasDoneSoWhateverCameAfterIt) {
  Rows rows;
  const auto first = rows.open(rows.has);
  ASSERT_TRUE(first->append(test::user("one")));
  ASSERT_TRUE(first->append(test::says("Done with one.")));
  rows.has = {"u", 1};
  const auto second = rows.open(rows.has);
  ASSERT_TRUE(second->append(test::user("two")));
  ASSERT_TRUE(second->append(test::calls({{"a", "t", "{}"}})));
  const auto again = rows.open({"t", 2});
  EXPECT_TRUE(again->begun()) << "its message is not said twice";
  EXPECT_EQ(again->head(), 2U);
  EXPECT_EQ(again->first(), 1U);
  EXPECT_EQ(tools::messages::text_of(again->history().newest()), "Done with one.");
  EXPECT_EQ(again->history().open(), nullptr) << "the calls are those of the next turn";
  EXPECT_FALSE(again->append(test::user("more")));
  EXPECT_EQ(rows.rows.size(), 4U);
  EXPECT_EQ(rows.open({"t", 2}, 60)->head(), 2U) << "further back than is usually read";
  // With other ends it continues after what came since.
  rows.has = {"u", 2};
  ASSERT_TRUE(rows.open(rows.has)->append(test::results({{"a", "found"}})));
  rows.has = {"v", 1};
  ASSERT_TRUE(rows.open(rows.has)->append(test::user("three")));
  EXPECT_FALSE(rows.open({"u", 3})->begun());
}

// A chat process that was told to end stopped the turn, and the call went to another one.
TEST(StoredMemory, ATurnThatItsProcessStoppedIsNotAnsweredByTheMarkOfThat) {
  Rows rows;
  const auto drained = rows.open(rows.has);
  ASSERT_TRUE(drained->append(test::user("one")));
  ASSERT_TRUE(drained->append({.role = Role::kAssistant}));
  const auto cancelled = rows.open({"u", 1});
  EXPECT_EQ(cancelled->history().messages().size(), 2U) << "of a turn that has ended it stays";
  rows.has = {"t", 2};
  const auto again = rows.open(rows.has);
  EXPECT_TRUE(again->begun());
  ASSERT_EQ(again->history().messages().size(), 1U);
  EXPECT_EQ(again->history().newest().text, "one");
  EXPECT_EQ(again->head(), 2U) << "it is still a row";
  ASSERT_TRUE(again->append(test::says("1")));
  EXPECT_EQ(rows.open({"u", 1})->history().messages().size(), 2U) << "the reply came after all";
}

TEST(StoredMemory, ATurnThatWasStoppedWhileTheModelRepliedHasEnded) {
  Rows rows;
  const auto first = rows.open(rows.has);
  ASSERT_TRUE(first->append(test::user("one")));
  auto said = test::says("Once upon");
  said.finish = tools::messages::Finish::kStopped;
  ASSERT_TRUE(first->append(said));
  EXPECT_TRUE(first->released());
  rows.has = {"u", 1};
  ASSERT_TRUE(rows.open(rows.has)->append(test::user("two")));
  const auto again = rows.open({"t", 2});
  EXPECT_EQ(again->head(), 2U) << "its next attempt stores nothing";
  EXPECT_EQ(texts(*rows.open({"u", 2})), (std::vector<std::string>{"one", "Once upon", "two"}));
}

TEST(StoredMemory, OnlyAnAssistantsMessageWaitsForTheDisk) {
  using persistence::conversations::Kept;
  Rows rows;
  const auto memory = rows.open(rows.has);
  ASSERT_TRUE(memory->append(test::user("hash it")));
  ASSERT_TRUE(memory->append(test::says("Done.")));
  ASSERT_TRUE(memory->append({.role = Role::kInjected, .text = "it ended", .about = {"old"}}));
  // What is imported has no reply after it.
  memory->keep_each_at_once();
  ASSERT_TRUE(memory->append(test::user("thanks")));
  std::vector<Kept> kept;
  for (const auto& row : rows.rows) kept.push_back(row.kept);
  EXPECT_EQ(kept, (std::vector{Kept::kWithNext, Kept::kAtOnce, Kept::kWithNext, Kept::kAtOnce}));
}

TEST(StoredMemory, HearsOfCallsThatNoTurnMadeOnce) {
  Rows rows;
  rows.add(test::user("before"));
  rows.add(test::says("0"));
  rows.ended = {{"turn", true, "1.1"},
                {"a", false, "1.2"},
                {"child", true, "1.3"},
                {"b", false, "2.1"},
                {"turn", true, "2.2"}};
  const auto memory = rows.open(rows.has);
  const auto calls = [](StoredMemory& of) { return of.ended_elsewhere().value(); };
  EXPECT_EQ(calls(*memory), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(calls(*rows.open({"u", 1})), (std::vector<std::string>{"a", "b"}))
      << "nothing is stored";
  ASSERT_TRUE(memory->append(test::user("one")));
  EXPECT_EQ(rows.heard, "1.1") << "what need not be told is passed";
  memory->heard_of(1);
  EXPECT_EQ(calls(*memory), std::vector<std::string>{"b"});
  EXPECT_EQ(rows.heard, "1.1");
  ASSERT_TRUE(memory->append({.role = Role::kInjected, .text = "a ended", .about = {"a"}}));
  EXPECT_EQ(rows.heard, "1.3");
  EXPECT_EQ(calls(*rows.open({"u", 1})), std::vector<std::string>{"b"});
  memory->heard_of(1);
  ASSERT_TRUE(memory->append(test::says("1")));
  EXPECT_EQ(rows.heard, "2.2");
  EXPECT_TRUE(calls(*rows.open({"u", 1})).empty());
}

TEST(StoredMemory, HearsOfThemWhileItsTurnRunsOnceASecond) {
  Rows rows;
  rows.add(test::user("before"));
  rows.add(test::says("0"));
  const auto memory = rows.open(rows.has);
  ASSERT_TRUE(memory->append(test::user("one")));
  const auto asked = rows.asked_for_news;
  rows.ended = {{"a", false, "1.2"}};
  rows.clock.advance(std::chrono::milliseconds(999));
  EXPECT_TRUE(memory->ended_elsewhere()->empty());
  rows.clock.advance(std::chrono::milliseconds(1));
  EXPECT_EQ(*memory->ended_elsewhere(), std::vector<std::string>{"a"});
  EXPECT_EQ(*memory->ended_elsewhere(), std::vector<std::string>{"a"});
  EXPECT_EQ(rows.asked_for_news, asked + 1);
  memory->heard_of(1);
  rows.clock.advance(std::chrono::seconds(1));
  EXPECT_TRUE(memory->ended_elsewhere()->empty()) << "that it has heard is not stored yet";
}

TEST(StoredMemory, AConversationThatBeginsHasNothingToLearnOf) {
  Rows rows;
  EXPECT_TRUE(rows.open(rows.has)->ended_elsewhere()->empty());
  EXPECT_EQ(rows.asked_for_news, 0);
}

TEST(StoredMemory, ManyCallsOfTurnsHideNoOther) {
  Rows rows;
  rows.add(test::user("before"));
  rows.add(test::says("0"));
  for (int i = 0; i < 1000; ++i)
    rows.ended.push_back({"child", true, "1." + std::to_string(1000 + i)});
  rows.ended.push_back({"a", false, "2.1"});
  const auto memory = rows.open(rows.has);
  EXPECT_EQ(*memory->ended_elsewhere(), std::vector<std::string>{"a"});
}

TEST(StoredMemory, TakesNoSummaryOfAWriterThatHasLostTheConversation) {
  Rows rows;
  const auto paused = rows.open(rows.has);
  ASSERT_TRUE(paused->append(test::user("one")));
  rows.has.attempt = 2;
  const auto refused = paused->append({.role = Role::kSummary, .text = "late"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kWrongLastSequence);
  EXPECT_EQ(rows.rows.size(), 1u);
  EXPECT_EQ(rows.open(rows.has)->history().summary(), nullptr);
}

}  // namespace
}  // namespace toolway::chat::turns
