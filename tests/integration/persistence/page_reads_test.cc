// How much of the record a page of it reads, whatever other sessions have.
#include "tests/integration/persistence/store_fixture.h"

namespace toolway::persistence {
namespace {

constexpr std::string_view kSession = "11111111111111111111111111111111";

class PageReads : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    migrate_now();
  }
  static std::string hex(const std::string& bytes) {
    std::string text;
    for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
    return text;
  }
  /// `count` completed calls of a session, later than those of before. All have the request and the
  /// completion of one call.
  void add_completed(std::string_view session, int count) {
    Script script(clock_);
    const auto call = script.call();
    const auto request = hex(proto::encode(call));
    const auto completion = hex(proto::encode(script.completed(call, 1)));
    const auto ids = fmt::format(
        "SELECT (lpad(to_hex({}), 12, '0') || '70008000' || lpad(to_hex(i), 12, '0'))::uuid AS id, "
        "i FROM generate_series({}, {}) i",
        to_unix_us(clock_.wall()) / 1000, made_ + 1, made_ + count);
    ASSERT_EQ(query(fmt::format(
                  "INSERT INTO calls (call_id, user_id, session_key, session_id, namespace, tool, "
                  "multi_step, pool, submitted_at, incarnation, sequence, request) "
                  "SELECT id, 'ann', '{}', 's', 'n', 't', false, 'native', now(), 0, i, '\\x{}' "
                  "FROM ({}) t",
                  session, request, ids)),
              "");
    ASSERT_EQ(query(fmt::format(
                  "INSERT INTO completions (call_id, session_key, incarnation, sequence, outcome, "
                  "attempt, seq, started_at, completed_at, event) "
                  "SELECT id, '{}', 0, i, 'succeeded', 1, 1, now(), now(), '\\x{}' FROM ({}) t",
                  session, completion, ids)),
              "");
    made_ += count;
  }
  /// Rows that statements have read from the table so far, by those whose connections have closed.
  int rows_read(const std::string& table) {
    return std::stoi(
        query("SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_user_tables "
              "WHERE relname LIKE '" +
              table + "%'"));
  }
  int made_ = 0;
};

// Its session's calls are the oldest: reading completions from the newest on finds them last.
TEST_F(PageReads, APageOfCompletedCallsReadsThoseOfItsSession) {
  add_completed(kSession, 3'000);
  add_completed("22222222222222222222222222222222", 30'000);
  ASSERT_EQ(query("ANALYZE calls; ANALYZE completions"), "");
  const int before = rows_read("completions");
  {
    const auto store = reader();
    const auto page = store->calls_of_session(SessionKey::parse(kSession).value(),
                                              store::CallState::kCompleted, {}, 100);
    ASSERT_TRUE(page) << page.error().message;
    EXPECT_EQ(page->size(), 100U);
  }
  EXPECT_LT(rows_read("completions") - before, 1'000);
}

}  // namespace
}  // namespace toolway::persistence
