// How much of the conversations, turns and calls of others is read for one: nothing.
#include "tests/integration/persistence/conversations_fixture.h"

namespace toolway::persistence::conversations {
namespace {

class ConversationLookups : public ConversationsFixture {
 protected:
  static constexpr int kOthers = 20'000;
  /// Of those that were looked at, and of what the server looks at by itself.
  static constexpr int kFew = 200;

  void SetUp() override {
    ConversationsFixture::SetUp();
    // The plans of these connections were made while the tables were empty.
    for (int number = 1; number <= 3; ++number) use(number);
    const auto ids = fmt::format("FROM generate_series(1, {}) i", kOthers);
    add("conversations (id, session_key, number, head, lease_turn, lease_attempt, lease_until, wakes) "
        "SELECT gen_random_uuid(), gen_random_uuid(), 1, 1, gen_random_uuid(), 1, now(), true " +
        ids);
    add("conversation_waiters (session_key, turn, until) SELECT gen_random_uuid(), "
        "gen_random_uuid(), now() + interval '1 hour' " +
        ids);
    add("messages (conversation, number, turn, role, body) "
        "SELECT gen_random_uuid(), 1, gen_random_uuid(), 'user', '{}' " +
        ids);
    add("conversation_calls (conversation, call_id, told_in) "
        "SELECT gen_random_uuid(), gen_random_uuid(), 1 " +
        ids);
    add("completions (call_id, session_key, incarnation, sequence, outcome, attempt, seq, "
        "completed_at, event) SELECT gen_random_uuid(), gen_random_uuid(), 1, i, 'succeeded', 1, 1, "
        "now(), '' " +
        ids);
  }
  void add(const std::string& rows) { ASSERT_EQ(query("INSERT INTO " + rows), ""); }

  /// All that is asked for a turn.
  void use(int number) {
    const Writer writer{turn(number), 1};
    come_at({{number, static_cast<std::uint64_t>(number)}});
    known({number});
    const auto opened = taken(writer);
    EXPECT_TRUE(store_->renew({{owner_, writer}})->stop.empty());
    EXPECT_TRUE(store_->news(opened.conversation, ""));
    EXPECT_TRUE(store_->last_before(opened.conversation, opened.head + 1, 1000));
    EXPECT_TRUE(store_->read(opened.conversation, opened.head + 1, 1000));
    const CallNotes notes{.detached = {turn(1000 + number)},
                          .told = {turn(1000 + number)},
                          .progress = {{turn(1000 + number), "7-1"}},
                          .begun = CallNotes::UserTurn{true, "token", "{}"}};
    EXPECT_TRUE(say(opened, writer, opened.head + 1, notes));
    EXPECT_TRUE(store_->wakeable(0, {}));
    EXPECT_TRUE(store_->ask_to_stop(owner_));
    EXPECT_TRUE(store_->leave(owner_, writer));
    EXPECT_TRUE(store_->release(owner_, writer));
  }

  /// Rows that statements have read so far, by those whose connections have closed.
  int rows_read() {
    return std::stoi(query(
        "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_user_tables "
        "WHERE relname IN ('conversations', 'conversation_waiters', 'messages', 'conversation_calls') "
        "OR relname LIKE 'calls%' OR relname LIKE 'completions%'"));
  }
};

TEST_F(ConversationLookups, ReadNothingOfOthers) {
  const int before = rows_read();
  for (int number = 4; number <= 6; ++number) use(number);
  store_.reset();
  EXPECT_LT(rows_read() - before, kFew);
}

TEST_F(ConversationLookups, ReadNothingOfOthersOverNewConnections) {
  ASSERT_EQ(query("ANALYZE"), "");
  store_ = make_postgres_conversations(url_);
  const int before = rows_read();
  for (int number = 4; number <= 6; ++number) use(number);
  store_.reset();
  EXPECT_LT(rows_read() - before, kFew);
}

TEST_F(ConversationLookups, ReadNoCallsThatOthersWaitFor) {
  const auto opened = taken({turn(1), 1});
  add(
      fmt::format("conversation_calls (conversation, call_id) SELECT gen_random_uuid(), "
                  "gen_random_uuid() FROM generate_series(1, {})",
                  kOthers));
  const int before = rows_read();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(store_->news(opened.conversation, ""));
  store_.reset();
  EXPECT_LT(rows_read() - before, kFew);
}

}  // namespace
}  // namespace toolway::persistence::conversations
