#include "chat/turns/stored_memory.h"

#include <gtest/gtest.h>

#include "chat/history/message_json.h"
#include "tests/unit/chat/blocks.h"
#include "tests/unit/chat/messages.h"
#include "tests/unit/chat/turns/fake_conversations.h"

namespace toolway::chat::turns {
namespace {

using history::Message;
using history::Role;

/// Rows of one conversation, which one writer has.
class Rows final : public FakeConversations {
 public:
  Result<void> append(const std::string&, const Writer& writer, const StoredMessage& message,
                      const persistence::conversations::CallNotes&) override {
    if (writer != has) return fail(ErrorCode::kWrongLastSequence, "another writes");
    EXPECT_EQ(message.number, rows.size() + 1);
    rows.push_back(message);
    return {};
  }
  /// `bytes`: rows, here.
  Result<std::vector<StoredMessage>> newest(const std::string&, std::size_t bytes) override {
    const auto count = std::min(bytes, rows.size());
    return std::vector<StoredMessage>(rows.end() - static_cast<std::ptrdiff_t>(count), rows.end());
  }
  std::unique_ptr<StoredMemory> open(const Writer& writer, std::size_t bytes = 100) {
    return *StoredMemory::open(*this, {}, writer, {"c", rows.size()}, bytes);
  }
  Result<std::vector<Progress>> untold(const std::string&) override { return waiting; }
  std::vector<StoredMessage> rows;
  std::vector<Progress> waiting;
  Writer has{"t", 1};
};

/// Rows that are read by their bytes, as Postgres does.
class RowsByBytes final : public FakeConversations {
 public:
  Result<std::vector<StoredMessage>> newest(const std::string&, std::size_t bytes) override {
    asked.push_back(bytes);
    std::vector<StoredMessage> found;
    std::size_t read = 0;
    for (auto row = rows.rbegin(); row != rows.rend() && read < bytes; ++row) {
      found.insert(found.begin(), *row);
      read += row->body.size();
    }
    return found;
  }
  void add(const Message& message) {
    rows.push_back({.number = rows.size() + 1,
                    .turn = "t",
                    .role = std::string(history::role_name(message.role)),
                    .body = to_text(history::message_json(message))});
  }
  std::vector<StoredMessage> rows;
  std::vector<std::size_t> asked;
};

TEST(StoredMemory, ImagesPushNoTextOut) {
  RowsByBytes rows;
  const auto add_round = [&](const std::string& text, std::vector<test::ContentBlock> content) {
    rows.add(text == "look" ? test::shows({test::text_block(text), content.front()})
                            : test::user(text));
    rows.add(test::calls({{"a" + std::to_string(rows.rows.size()), "t", "{}"}}));
    rows.add(test::results({test::returned("a", std::move(content))}));
    rows.rows.back().body.replace(rows.rows.back().body.find("\"a\""), 3,
                                  "\"a" + std::to_string(rows.rows.size() - 2) + "\"");
    rows.add(test::says("seen"));
  };
  add_round("the first", {test::text_block("text with \"data\":\"in it\"")});
  for (int i = 0; i < 4; ++i) add_round("look", {test::image_block(test::png(2, 3, 50'000))});
  const auto open = [&](std::size_t bytes) {
    return *StoredMemory::open(rows, {}, {"u", 1}, {"c", rows.rows.size()}, bytes);
  };
  const auto memory = open(10'000);
  ASSERT_EQ(memory->history().messages().size(), 20U);
  EXPECT_EQ(memory->history().messages().front().text, "the first");
  EXPECT_LT(rows.asked.size(), 6U);
  EXPECT_LT(rows.asked.back(), 2 * 8 * 70'000U + 10'000);
  rows.asked.clear();
  rows.rows.resize(4);
  open(10'000);
  EXPECT_EQ(rows.asked, (std::vector<std::size_t>{10'000})) << "without an image, as before";
}

TEST(StoredMemory, KeepsSummariesAsRowsNextToTheirOriginals) {
  Rows rows;
  const auto memory = rows.open(rows.has);
  ASSERT_TRUE(memory->append(test::user("one")));
  ASSERT_TRUE(memory->append(test::says("1")));
  ASSERT_TRUE(memory->append(test::user("two")));
  ASSERT_TRUE(memory->append({.role = Role::kSummary, .text = "s", .keeps = 1}));
  ASSERT_TRUE(memory->append(test::says("2")));
  EXPECT_EQ(memory->head(), 5u);
  EXPECT_EQ(rows.rows[3].role, "summary");
  EXPECT_EQ(rows.rows[3].body, R"({"role":"summary","text":"s","keeps":1})");
  // All rows, those from a message of the user on, and more when that one is not among them.
  for (const auto& [read, messages, covered] :
       {std::tuple(5U, 4U, 2U), {4U, 2U, 0U}, {3U, 2U, 0U}, {2U, 4U, 2U}}) {
    const auto again = rows.open({"u", 1}, read);
    ASSERT_NE(again->history().summary(), nullptr) << read;
    EXPECT_EQ(again->history().summary()->text, "s");
    EXPECT_EQ(again->history().covered(), covered) << read;
    EXPECT_EQ(again->history().messages().size(), messages) << read;
    EXPECT_EQ(again->head(), 5u);
  }
}

TEST(StoredMemory, ALongTurnIsReadBackToItsMessage) {
  Rows rows;
  const auto memory = rows.open(rows.has);
  ASSERT_TRUE(memory->append(test::user("before")));
  ASSERT_TRUE(memory->append(test::says("1")));
  ASSERT_TRUE(memory->append(test::user("the turn's")));
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(memory->append(test::says(std::to_string(i))));
  const auto again = rows.open({"t", 2}, 2);
  ASSERT_FALSE(again->history().messages().empty());
  const auto& messages = again->history().messages();
  ASSERT_GE(messages.size(), 21U);
  EXPECT_EQ(messages[messages.size() - 21].text, "the turn's");
  EXPECT_EQ(again->head(), 23U);
}

TEST(StoredMemory, ACallOfMessagesThatAreNotReadIsStillPending) {
  Rows rows;
  const auto memory = rows.open(rows.has);
  ASSERT_TRUE(memory->append(test::user("hash it")));
  ASSERT_TRUE(memory->append(test::says("It runs.")));
  ASSERT_TRUE(memory->append(test::user("hello")));
  rows.waiting = {{"old", "7-1"}};
  const auto again = rows.open({"u", 1}, 1);
  ASSERT_EQ(again->history().messages().size(), 1U);
  EXPECT_EQ(again->pending_calls(), std::vector<std::string>{"old"});
  EXPECT_EQ(again->told_progress(), (std::vector<history::ToldProgress>{{"old", "7-1"}}));
  rows.has = {"u", 1};
  ASSERT_TRUE(
      again->append({.role = Role::kInjected, .text = "half", .progress = {{"old", "7-2"}}}));
  EXPECT_EQ(again->told_progress(), (std::vector<history::ToldProgress>{{"old", "7-2"}}));
  ASSERT_TRUE(again->append({.role = Role::kInjected, .text = "it ended", .about = {"old"}}));
  EXPECT_TRUE(again->pending_calls().empty()) << "its end is told once";
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
  EXPECT_EQ(history::text_of(again->history().newest()), "Done with one.");
  EXPECT_EQ(again->history().open(), nullptr) << "the calls are those of the next turn";
  EXPECT_FALSE(again->append(test::user("more")));
  EXPECT_EQ(rows.rows.size(), 4U);
  EXPECT_EQ(rows.open({"t", 2}, 2)->head(), 2U) << "further back than is usually read";
  EXPECT_EQ(rows.open({"t", 1}, 2)->head(), 4U);
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
