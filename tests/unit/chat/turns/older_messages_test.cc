// How a conversation is read back from its newest message.
#include "tests/unit/chat/messages.h"
#include "tests/unit/chat/turns/stored_rows.h"

namespace toolway::chat::turns {
namespace {

using tools::messages::Role;

TEST(StoredMemory, ReadsFurtherBackInPortionsAndNothingTwice) {
  Rows rows;
  for (int i = 0; i < 2000; ++i) {
    rows.add(test::user("question " + std::to_string(i)));
    rows.add(test::says("answer " + std::to_string(i)));
  }
  const auto memory = rows.open({"u", 1}, 20'000);
  const auto first = memory->history().messages().size();
  EXPECT_GT(first, 100U);
  EXPECT_LE(memory->read().bytes, 20'000U);
  const auto more = memory->read_further(0.5);
  ASSERT_TRUE(more);
  EXPECT_EQ(memory->history().messages().size(), first + *more);
  EXPECT_LE(memory->read().bytes, 37'000U);
  read_all(*memory);
  EXPECT_LE(memory->read().bytes, 6 * 20'000U + 2 * 16'384U + 20'000U)
      << "not more than a request can have";
  EXPECT_GT(memory->read().bytes, 6 * 20'000U - 100U);
  const auto all = texts(*memory);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto number = 2000 - all.size() / 2 + i / 2;
    ASSERT_EQ(all[i], (i % 2 == 0 ? "question " : "answer ") + std::to_string(number));
  }
  EXPECT_EQ(memory->head(), 4000U);
}

TEST(StoredMemory, AConversationThatIsReadWholeIsNotAskedForAgain) {
  Rows rows;
  rows.add(test::user("one"));
  rows.add(test::says("1"));
  const auto memory = rows.open({"u", 1});
  EXPECT_EQ(*memory->read_further(4), 0U);
  EXPECT_EQ(rows.asked, std::vector<std::size_t>{100'000});
  Rows empty;
  const auto begun = empty.open({"u", 1});
  EXPECT_EQ(*begun->read_further(4), 0U);
  EXPECT_TRUE(empty.asked.empty());
}

// What comes first of what is read may be the end of a round.
TEST(StoredMemory, EachPortionBeginsWithAMessageOfTheUser) {
  Rows rows;
  std::vector<std::string> said;
  for (int i = 0; i < 60; ++i) {
    const auto id = "a" + std::to_string(i);
    rows.add(test::user(said.emplace_back("question " + std::to_string(i))));
    rows.add(test::calls({{id, "t", "{}"}}));
    said.emplace_back();
    rows.add(test::results({{id, std::string(700, 'x')}}));
    said.emplace_back();
    rows.add(test::says(said.emplace_back("answer " + std::to_string(i))));
  }
  for (std::size_t window = 900; window < 2600; window += 61) {
    const auto memory = rows.open({"u", 1}, window);
    while (*memory->read_further(0.1) > 0) {
      ASSERT_EQ(memory->history().messages().front().role, Role::kUser) << window;
    }
    const auto read = texts(*memory);
    EXPECT_EQ(read,
              std::vector<std::string>(said.end() - static_cast<long>(read.size()), said.end()))
        << window;
  }
}

TEST(StoredMemory, ImagesPushNoTextOut) {
  Rows rows;
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
  const auto memory = rows.open({"u", 1}, 2'000);
  read_all(*memory);
  ASSERT_EQ(memory->history().messages().size(), 20U);
  EXPECT_EQ(memory->history().messages().front().text, "the first");
  EXPECT_LT(rows.asked.size(), 8U);
}

TEST(StoredMemory, ImagesAreReadUpToABound) {
  Rows rows;
  for (int i = 0; i < 12; ++i) {
    rows.add(test::shows({test::image_block(test::png(2, 3, 2 << 20))}));
    rows.add(test::says("seen"));
  }
  const auto memory = rows.open({"u", 1}, 2'000);
  read_all(*memory);
  EXPECT_GT(memory->read().bytes, kMaxReadBlockBytes);
  EXPECT_LT(memory->read().bytes, kMaxReadBlockBytes + (12U << 20));
}

TEST(StoredMemory, ImagesThatAreToldLaterPushNoTextOut) {
  Rows rows;
  rows.add(test::user("the first"));
  rows.add(test::says("seen"));
  for (int i = 0; i < 4; ++i) {
    auto told = test::shows({test::image_block(test::png(2, 3, 50'000))});
    told.role = Role::kInjected;
    rows.add(told);
    rows.add(test::says("seen"));
  }
  const auto memory = rows.open({"u", 1}, 2'000);
  read_all(*memory);
  ASSERT_EQ(memory->history().messages().size(), 10U);
  EXPECT_EQ(memory->history().messages()[2].blocks.size(), 1U);
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
  for (const std::size_t window : {20U, 60U, 100U, 200U, 1000U}) {
    const auto again = rows.open({"u", 1}, window);
    read_all(*again);
    ASSERT_NE(again->history().summary(), nullptr) << window;
    EXPECT_EQ(again->history().summary()->text, "s");
    const auto messages = again->history().messages().size();
    EXPECT_TRUE(messages == 2 || messages == 4) << messages;
    EXPECT_EQ(again->history().covered(), messages - 2) << window;
    EXPECT_EQ(again->head(), 5u);
  }
}

// Of a round whose beginning is further back than is read.
TEST(StoredMemory, ASummaryBeforeWhatIsShownCountsWhenNoMoreIsRead) {
  Rows rows;
  rows.add(test::user("begins a long round"));
  for (int i = 0; i < 20; ++i) rows.add(test::says(std::string(10'000, 'x')));
  rows.add({.role = Role::kSummary, .text = "s", .keeps = 2});
  rows.add(test::says("1"));
  rows.add(test::user("two"));
  const auto memory = rows.open({"u", 1}, 70);
  read_all(*memory);
  EXPECT_EQ(texts(*memory), std::vector<std::string>{"two"});
  ASSERT_NE(memory->history().summary(), nullptr);
  EXPECT_EQ(memory->history().summary()->text, "s");
  EXPECT_EQ(memory->history().covered(), 0U);
}

TEST(StoredMemory, ALongTurnIsReadBackToItsMessage) {
  Rows rows;
  const auto memory = rows.open(rows.has);
  ASSERT_TRUE(memory->append(test::user("before")));
  ASSERT_TRUE(memory->append(test::says("1")));
  ASSERT_TRUE(memory->append(test::user("the turn's")));
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(memory->append(test::says(std::to_string(i))));
  const auto again = rows.open({"t", 2}, 100);
  ASSERT_FALSE(again->history().messages().empty());
  const auto& messages = again->history().messages();
  ASSERT_GE(messages.size(), 21U);
  EXPECT_EQ(messages[messages.size() - 21].text, "the turn's");
  EXPECT_EQ(again->head(), 23U);
  EXPECT_EQ(again->first(), 1U) << "its first message, however far back it is";
}

TEST(StoredMemory, OthersThatItReadForItsOwnAreThereLater) {
  Rows rows;
  for (int i = 0; i < 30; ++i) {
    rows.add(test::user("question " + std::to_string(i)));
    rows.add(test::says("answer " + std::to_string(i)));
  }
  const auto memory = rows.open({"none", 2}, 300);
  EXPECT_FALSE(memory->begun());
  EXPECT_EQ(memory->first(), 0U);
  read_all(*memory);
  const auto read = texts(*memory);
  ASSERT_GT(read.size(), 20U);
  EXPECT_EQ(read.back(), "answer 29");
  for (std::size_t i = 0; i + 1 < read.size(); i += 2)
    ASSERT_EQ(read[i].substr(9), read[i + 1].substr(7)) << "none is missing, none comes twice";
}

}  // namespace
}  // namespace toolway::chat::turns
