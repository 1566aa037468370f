#include <vector>

#include "tests/integration/persistence/store_fixture.h"

namespace toolway::persistence {
namespace {

/// The mailbox of a session, read by cursor while transactions commit in any order.
class Mailbox : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    migrate_now();
    store_ = reader();
  }

  postgres::PgConnection connection() {
    auto opened = postgres::PgConnection::open(url_);
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(*opened);
  }

  /// A completion as the collector writes it, in the current transaction.
  void insert(postgres::PgConnection& connection, const v1::CallEvent& completed) {
    auto done = connection.execute(
        "INSERT INTO completions (call_id, session_key, incarnation, sequence, outcome, attempt, "
        "seq, completed_at, event) VALUES ($1::uuid, $2::uuid, 1000, $3, 'succeeded', 1, 1, "
        "now(), decode($4, 'hex'))",
        {completed.call_id(), completed.session_key(), ++sequence_, hex(proto::encode(completed))});
    ASSERT_TRUE(done) << done.error().message;
  }

  static std::string hex(const std::string& bytes) {
    std::string text;
    for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return text;
  }

  v1::CallEvent completion() {
    auto completed = script_.event(script_.call(), 1);
    completed.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
    return completed;
  }

  /// The call ids after the cursor, which moves past them.
  std::vector<std::string> read(std::size_t limit = 100) {
    const auto page = store_->mailbox(script_.session, cursor_, limit, store::Parents::kAny);
    EXPECT_TRUE(page) << page.error().message;
    std::vector<std::string> ids;
    if (!page) return ids;
    for (const auto& entry : *page) {
      EXPECT_GT(entry.cursor, cursor_);
      cursor_ = entry.cursor;
      EXPECT_TRUE(entry.call.completion);
      ids.push_back(entry.call.call_id);
    }
    return ids;
  }

  using Ids = std::vector<std::string>;
  Script script_{clock_};
  std::unique_ptr<store::StoreReader> store_;
  store::MailboxCursor cursor_;
  std::uint64_t sequence_ = 0;
};

TEST_F(Mailbox, NeitherSkipsNorRepeatsWhatCommitsOutOfOrder) {
  auto early = connection();
  auto late = connection();
  const auto first = completion();
  const auto second = completion();
  const auto third = completion();
  // The older transaction stays open while a newer one commits.
  ASSERT_TRUE(early.execute("BEGIN"));
  insert(early, first);
  ASSERT_TRUE(late.execute("BEGIN"));
  insert(late, second);
  ASSERT_TRUE(late.execute("COMMIT"));
  EXPECT_EQ(read(), Ids{});
  insert(early, third);
  ASSERT_TRUE(early.execute("COMMIT"));
  EXPECT_EQ(read(), (Ids{first.call_id(), third.call_id(), second.call_id()}));
  EXPECT_EQ(read(), Ids{});
}

TEST_F(Mailbox, ShowsWhatIsBelowAnOpenTransaction) {
  auto done = connection();
  auto open = connection();
  const auto first = completion();
  insert(done, first);
  ASSERT_TRUE(open.execute("BEGIN"));
  const auto second = completion();
  insert(open, second);
  EXPECT_EQ(read(), Ids{first.call_id()});
  const auto third = completion();
  insert(done, third);
  EXPECT_EQ(read(), Ids{});
  ASSERT_TRUE(open.execute("ROLLBACK"));
  EXPECT_EQ(read(), Ids{third.call_id()});
}

TEST_F(Mailbox, ContinuesWithinATransaction) {
  auto writer = connection();
  Ids expected;
  ASSERT_TRUE(writer.execute("BEGIN"));
  for (int i = 0; i < 5; ++i) {
    const auto completed = completion();
    insert(writer, completed);
    expected.push_back(completed.call_id());
  }
  ASSERT_TRUE(writer.execute("COMMIT"));
  Ids all;
  for (int i = 0; i < 5; ++i) {
    for (const auto& id : read(1)) all.push_back(id);
  }
  EXPECT_EQ(all, expected);
  EXPECT_EQ(read(1), Ids{});
}

TEST_F(Mailbox, HoldsWhatTheRequestSaidAndTheWholeCompletion) {
  const auto call = script_.call(R"({"b": 1, "a":2})");
  const auto completed = script_.completed(call, 1, R"({"n": 1})");
  collector::BatchWriter writer(url_, clock_);
  write_all(writer, script_.messages());
  const auto page = store_->mailbox(script_.session, {}, 10, store::Parents::kAny);
  ASSERT_TRUE(page) << page.error().message;
  ASSERT_EQ(page->size(), 1U);
  const auto& shown = page->front().call;
  EXPECT_EQ(shown.arguments, R"({"b": 1, "a":2})");
  EXPECT_EQ(shown.labels.tool_call_id(), "tc");
  EXPECT_EQ(proto::encode(*shown.completion), proto::encode(completed));
  const auto others = store_->mailbox(SessionKey::make(), {}, 10, store::Parents::kAny);
  ASSERT_TRUE(others);
  EXPECT_TRUE(others->empty());
}

TEST_F(Mailbox, DoesNotWaitForARequestThatIsNotRecordedYet) {
  const auto completed = script_.completed(script_.call(), 1);
  script_.entries.erase(script_.entries.begin());
  collector::BatchWriter writer(url_, clock_);
  write_all(writer, script_.messages());
  const auto page = store_->mailbox(script_.session, {}, 10, store::Parents::kAny);
  ASSERT_TRUE(page) << page.error().message;
  ASSERT_EQ(page->size(), 1U);
  const auto& shown = page->front().call;
  EXPECT_EQ(shown.call_id, completed.call_id());
  EXPECT_EQ(shown.user_id, "ann");
  EXPECT_EQ(shown.session_id, "s1");
  EXPECT_EQ(shown.labels.tool(), "now");
  EXPECT_EQ(to_unix_us(shown.submitted_at), completed.submitted_at_us());
}

TEST_F(Mailbox, HasItsIndexInPartitionsMadeBeforeAndAfter) {
  query("SELECT make_partitions('2030-01-01', '2030-01-01')");
  EXPECT_EQ(query("SELECT count(*) FROM pg_inherits i WHERE i.inhparent = 'completions'::regclass "
                  "AND NOT EXISTS (SELECT FROM pg_indexes x WHERE x.tablename = "
                  "i.inhrelid::regclass::text AND x.indexdef LIKE '%(session_key, xid, number)')"),
            "0");
  EXPECT_EQ(query("SELECT count(*) FROM pg_constraint WHERE conname = 'call_events_type' AND "
                  "pg_get_constraintdef(oid) NOT LIKE '%retry_at%'"),
            "0");
}

TEST_F(Mailbox, CountsAsUnreadWhatIsAfterTheCursorOfTheSession) {
  for (int i = 0; i < 3; ++i) script_.completed(script_.call(), 1);
  collector::BatchWriter writer(url_, clock_);
  write_all(writer, script_.messages());
  read(2);
  auto counts = store_->counts(script_.session, cursor_);
  ASSERT_TRUE(counts) << counts.error().message;
  EXPECT_EQ(counts->completed, 3U);
  EXPECT_EQ(counts->unread, 1U);

  Script mirrored(clock_);
  mirrored.session = script_.session;
  auto record = mirrored.record(v1::SessionRecord::STATE_CLOSED);
  record.set_read_xid(cursor_.xid);
  record.set_read_number(cursor_.number);
  record.set_closing(v1::SessionRecord::CLOSING_EXPIRED);
  record.set_closed_at_us(1'800'000'000'000'001);
  record.set_active_at_us(1'800'000'000'000'002);
  record.set_toolset_digest("sha256:0");
  mirrored.entries.back().payload = proto::encode(record);
  write_all(writer, mirrored.messages());
  const auto sessions = store_->sessions_of_user("default", "ann", std::nullopt, 10);
  ASSERT_TRUE(sessions) << sessions.error().message;
  ASSERT_EQ(sessions->size(), 1U);
  EXPECT_EQ((*sessions)[0].counts.unread, 1U);
  EXPECT_EQ(query("SELECT state, closing, toolset_digest, active_at - closed_at FROM sessions"),
            "closed|expired|sha256:0|00:00:00.000001");
}

}  // namespace
}  // namespace toolway::persistence
