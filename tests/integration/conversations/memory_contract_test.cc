// What every memory of a conversation does: of the process alone, in a file, in Postgres.
#include "chat/engine/memory.h"

#include "chat/engine/file_memory.h"
#include "chat/turns/stored_memory.h"
#include "persistence/conversations/postgres_conversations.h"
#include "tests/integration/persistence/store_fixture.h"
#include "tests/unit/chat/messages.h"

namespace toolway::chat::engine {
namespace {

namespace conversations = persistence::conversations;
using tools::messages::text_of;

enum class Kept { kInProcess, kInFile, kInPostgres };

class MemoryContract : public persistence::StoreFixture, public testing::WithParamInterface<Kept> {
 protected:
  void SetUp() override {
    if (GetParam() != Kept::kInPostgres) return;
    StoreFixture::SetUp();
    migrate_now();
    store_ = conversations::make_postgres_conversations(url_);
  }

  std::unique_ptr<Memory> open() {
    if (GetParam() == Kept::kInProcess) return make_memory();
    if (GetParam() == Kept::kInFile) return *open_file_memory(directory_.path() / "sub", "talk");
    const conversations::Writer writer{.turn = SessionKey::make().text()};
    const auto taken = store_->take(owner_, writer);
    EXPECT_TRUE(taken) << taken.error().message;
    constexpr std::size_t kWindow = 10'000;
    auto memory =
        turns::StoredMemory::open(*store_, owner_, writer, taken->opened, kWindow, clock_);
    EXPECT_TRUE(memory) << memory.error().message;
    writer_ = writer;
    return std::move(*memory);
  }
  /// What another process would find.
  std::unique_ptr<Memory> open_again(std::unique_ptr<Memory> memory) {
    memory.reset();
    if (store_) {
      EXPECT_TRUE(store_->release(owner_, writer_));
    }
    return open();
  }

  toolway::test::TempDir directory_;
  const SystemClock clock_;
  std::unique_ptr<conversations::ConversationStore> store_;
  const conversations::Owner owner_{.session_key = SessionKey::make().text()};
  conversations::Writer writer_;
};

INSTANTIATE_TEST_SUITE_P(All, MemoryContract,
                         testing::Values(Kept::kInProcess, Kept::kInFile, Kept::kInPostgres));

TEST_P(MemoryContract, KeepsTheInvariant) {
  const auto memory = open();
  ASSERT_TRUE(memory->append(test::user("go")));
  ASSERT_TRUE(memory->append(test::calls({{"", "t", "{}"}})));
  EXPECT_EQ(tools::messages::calls_of(memory->history().messages()[1])[0].id, "call_1_0");
  EXPECT_FALSE(memory->append(test::user("too early")));
  ASSERT_TRUE(memory->append(test::results({{"call_1_0", "r"}})));
  EXPECT_EQ(memory->history().messages().size(), 3u);
  EXPECT_EQ(memory->head(), 3u);
}

TEST_P(MemoryContract, BeginsNewConversationsUnderNewIds) {
  const auto memory = open();
  const auto first = memory->conversation();
  EXPECT_GE(first.size(), 32u);
  ASSERT_TRUE(memory->append(test::user("go")));
  ASSERT_TRUE(memory->start_new());
  EXPECT_NE(memory->conversation(), first);
  EXPECT_TRUE(memory->history().messages().empty());
  EXPECT_EQ(memory->head(), 0u);
  EXPECT_TRUE(memory->append(test::user("again")));
}

TEST_P(MemoryContract, KnowsWhichCallsRunOn) {
  auto memory = open();
  ASSERT_TRUE(memory->append(test::user("go")));
  ASSERT_TRUE(memory->append(test::calls({{"a", "t", "{}"}, {"b", "t", "{}"}})));
  const auto call = CallId::make(WallTime(std::chrono::seconds(1))).text();
  ASSERT_TRUE(memory->append(
      test::results({{.call_id = "a", .text = "still running", .ran_as = call, .detached = true},
                     {.call_id = "b", .text = "r"}})));
  EXPECT_EQ(memory->pending_calls(), std::vector<std::string>{call});
  ASSERT_TRUE(memory->append(test::says("wait")));
  if (GetParam() != Kept::kInProcess) {
    memory = open_again(std::move(memory));
    EXPECT_EQ(memory->pending_calls(), std::vector<std::string>{call});
  }
  auto told = tools::messages::text_message(tools::messages::Role::kInjected, "it has ended");
  told.about = {call};
  ASSERT_TRUE(memory->append(std::move(told)));
  EXPECT_TRUE(memory->pending_calls().empty());
}

/// What is not gone with its process.
class KeptMemoryContract : public MemoryContract {};

INSTANTIATE_TEST_SUITE_P(All, KeptMemoryContract,
                         testing::Values(Kept::kInFile, Kept::kInPostgres));

// They are one message, and in Postgres one row and one statement, with what it notes of calls.
TEST_P(KeptMemoryContract, TheResultsOfAMessageAreStoredTogether) {
  auto memory = open();
  ASSERT_TRUE(memory->append(test::user("go")));
  ASSERT_TRUE(memory->append(test::calls({{"a", "t", "{}"}, {"b", "t", "{}"}, {"c", "t", "{}"}})));
  ASSERT_TRUE(memory->append(test::results({{"c", "3"}, {"a", "1"}, {"b", "2"}})));
  EXPECT_EQ(memory->head(), 3U);
  memory = open_again(std::move(memory));
  ASSERT_EQ(memory->history().messages().size(), 3U);
  std::string found;
  for (const auto& result : memory->history().newest().results) found += result.text;
  EXPECT_EQ(found, "123") << "in the model's order";
}

TEST_P(KeptMemoryContract, IsThereAgain) {
  auto memory = open();
  const auto id = memory->conversation();
  ASSERT_TRUE(memory->append(test::user("\u00e9\n\"")));
  ASSERT_TRUE(memory->append(test::says("b")));
  memory = open_again(std::move(memory));
  EXPECT_EQ(memory->conversation(), id);
  ASSERT_EQ(memory->history().messages().size(), 2u);
  EXPECT_EQ(text_of(memory->history().messages()[0]), "\u00e9\n\"");
  EXPECT_EQ(text_of(memory->history().messages()[1]), "b");
}

}  // namespace
}  // namespace toolway::chat::engine
