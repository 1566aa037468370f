// What a chat process may do with the role that k8s/postgres/chat_role.sql makes for it.
#include <regex>

#include "base/os/file_io.h"
#include "tests/integration/persistence/conversations_fixture.h"
#include "tests/paths.h"

namespace toolway::persistence::conversations {
namespace {

class ConversationRole : public ConversationsFixture {
 protected:
  void SetUp() override {
    ConversationsFixture::SetUp();
    query("DROP ROLE IF EXISTS chat_of_tests");
    query("CREATE ROLE chat_of_tests LOGIN PASSWORD 'chat'");
    const auto file = os::read_file(TOOLWAY_SOURCE_DIR "/k8s/postgres/chat_role.sql");
    ASSERT_TRUE(file) << file.error().message;
    query(std::regex_replace(*file, std::regex(":\"role\""), "chat_of_tests"));
    role_url_ = std::regex_replace(url_, std::regex("//toolway:[^@]*@"), "//chat_of_tests:chat@");
    ASSERT_NE(role_url_, url_);
    store_ = make_postgres_conversations(role_url_);
  }
  void TearDown() override {
    store_.reset();
    query("DROP OWNED BY chat_of_tests");
    query("DROP ROLE chat_of_tests");
  }
  /// The error of a statement, or nothing.
  std::string refused(const std::string& sql) const {
    auto connection = postgres::PgConnection::open(role_url_);
    if (!connection) return connection.error().message;
    const auto reply = connection->execute(sql);
    return reply ? "" : reply.error().sqlstate;
  }

  std::string role_url_;
};

TEST_F(ConversationRole, IsEnoughForAllThatTurnsDo) {
  const Writer writer{turn(1), 1};
  EXPECT_EQ(come({1}), Answers{Taken::kTaken});
  EXPECT_EQ(known({1}), std::vector<bool>{true});
  auto opened = taken(writer);
  const CallNotes notes{.detached = {turn(1001)},
                        .told = {turn(1001)},
                        .progress = {{turn(1001), "7-1"}},
                        .begun = CallNotes::UserTurn{true, "token", "{}"}};
  EXPECT_TRUE(say(opened, writer, 1, notes));
  EXPECT_TRUE(store_->renew({{owner_, writer}})->stop.empty());
  EXPECT_EQ(store_->last_before(opened.conversation, 2, 1000)->size(), 1U);
  EXPECT_TRUE(store_->news(opened.conversation, ""));
  EXPECT_TRUE(store_->read(opened.conversation, 2, 1000));
  EXPECT_EQ(asked({turn(2), 1}), Taken::kBusy);
  EXPECT_TRUE(store_->ask_to_stop(owner_));
  EXPECT_TRUE(store_->start_new(owner_, writer, "{}"));
  EXPECT_TRUE(*store_->count_auto_turn(opened.conversation));
  const auto found = store_->wakeable(0, {});
  EXPECT_TRUE(found) << found.error().message;
  EXPECT_TRUE(store_->stop_waking(opened.conversation));
  EXPECT_TRUE(store_->leave(owner_, writer));
  EXPECT_TRUE(store_->release(owner_, writer));
}

TEST_F(ConversationRole, SeesNoArgumentsOrResultsAndChangesNothingElse) {
  constexpr auto kDenied = "42501";
  for (const auto* sql :
       {"SELECT arguments FROM calls", "SELECT * FROM completions", "SELECT * FROM audit_log",
        "SELECT record FROM sessions", "SELECT * FROM api_keys", "DELETE FROM calls",
        "UPDATE completions SET outcome = 'failed'", "DELETE FROM messages",
        "UPDATE messages SET body = ''", "DELETE FROM conversations", "DROP TABLE messages"})
    EXPECT_EQ(refused(sql), kDenied) << sql;
}

}  // namespace
}  // namespace toolway::persistence::conversations
