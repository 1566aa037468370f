// What migration 22 makes of held calls that were recorded before it.
#include <fmt/format.h>

#include <algorithm>

#include "persistence/schema/migrate.h"
#include "tests/integration/persistence/store_fixture.h"

namespace toolway::persistence {
namespace {

class ApprovalsMigration : public StoreFixture {
 protected:
  static std::string id(int call) { return fmt::format("019c1f2e-0000-7000-8000-{:012}", call); }
  void run(const std::string& sql) {
    auto connection = postgres::PgConnection::open(url_);
    ASSERT_TRUE(connection);
    const auto done = connection->execute(sql);
    ASSERT_TRUE(done) << done.error().message;
  }
  void call(int number, bool held) {
    run(fmt::format(
        "INSERT INTO calls (call_id, user_id, session_key, session_id, namespace, tool, multi_step, "
        "pool, submitted_at, incarnation, sequence, held, request) VALUES ('{}', 'ann', "
        "'0123456789abcdef0123456789abcdef', 's', 'files', 'remove', false, 'native', "
        "'2026-01-01T00:00:00Z', 1, {}, {}, '')",
        id(number), number, held));
  }
  void event(int number, const std::string& type, int seq) {
    run(fmt::format(
        "INSERT INTO call_events (call_id, session_key, incarnation, sequence, type, "
        "attempt, seq, time, event) VALUES ('{}', '0123456789abcdef0123456789abcdef', 1, "
        "{}, '{}', 0, {}, '2026-01-01T00:01:00Z', '')",
        id(number), number * 10 + seq, type, seq));
  }
  void ended(int number, const std::string& outcome, const std::string& code, int seq) {
    run(fmt::format(
        "INSERT INTO completions (call_id, session_key, incarnation, sequence, outcome, attempt, "
        "seq, completed_at, error_code, event) VALUES ('{}', '0123456789abcdef0123456789abcdef', 1, "
        "{}, '{}', 0, {}, '2026-01-01T00:02:00Z', {}, '')",
        id(number), number * 10 + seq, outcome, seq,
        code.empty() ? "NULL" : fmt::format("'{}'", code)));
  }
};

TEST_F(ApprovalsMigration, HasWhatBecameOfEachHeldCall) {
  auto before = schema::embedded_migrations();
  std::erase_if(before, [](const auto& migration) { return migration.version > 21; });
  ASSERT_TRUE(schema::apply_migrations(url_, before));
  for (int number = 1; number <= 7; ++number) {
    call(number, number != 2 && number != 7);
    if (number != 7) event(number, "approval_requested", 1);
  }
  event(2, "approval_decided", 2);  // approved, and has run
  ended(2, "succeeded", "", 5);
  event(3, "approval_decided", 2);
  ended(3, "rejected", "approval_denied", 3);
  ended(4, "rejected", "approval_expired", 2);
  ended(5, "rejected", "approval_stale", 2);
  ended(6, "cancelled", "cancelled", 3);
  ended(7, "failed", "tool_failed", 2);  // was never held
  const auto migrated = schema::migrate(url_);
  ASSERT_TRUE(migrated) << migrated.error().message;
  EXPECT_EQ(
      query("SELECT string_agg(right(call_id::text, 1) || ' ' || state || ' ' || seq || ' ' || "
            "coalesce(extract(minute FROM decided_at)::text, '-'), ', ' ORDER BY call_id) "
            "FROM approvals"),
      "1 waiting 0 -, 2 approved 5 1, 3 denied 3 2, 4 expired 2 2, 5 stale 2 2, 6 cancelled 3 2");
}

TEST_F(ApprovalsMigration, TheyLeaveWithTheirCalls) {
  migrate_now();
  run(fmt::format(
      "INSERT INTO approvals SELECT '{}', 'default', 'ann', 'files', 'remove', now(), 0, "
      "'waiting', NULL, NULL",
      id(1)));
  run("SELECT drop_partitions_before('2026-01-01')");
  EXPECT_EQ(query("SELECT count(*) FROM approvals"), "1");
  run("SELECT drop_partitions_before('2027-01-01')");
  EXPECT_EQ(query("SELECT count(*) FROM approvals"), "0");
}

}  // namespace
}  // namespace toolway::persistence
