// What the reaper asks of Postgres, over more calls than the planner's statistics know.
#include "persistence/reaper/recorded_calls.h"

#include "persistence/store/call_search.h"
#include "tests/integration/persistence/store_fixture.h"
#include "tests/support/test_clock.h"

namespace toolway::persistence {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class ReaperAsks : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    migrate_now();
  }
  /// `count` calls of that time, each completed.
  void add_completed(WallTime time, int count) {
    const auto ids = fmt::format(
        "SELECT (lpad(to_hex({}), 12, '0') || '70008000' || lpad(to_hex(i), 12, '0'))::uuid AS id, i FROM generate_series(1, {}) i",
        to_unix_us(time) / 1000, count);
    ASSERT_EQ(
        query(
            "INSERT INTO calls (call_id, user_id, session_key, session_id, namespace, tool, multi_step, pool, "
            "submitted_at, incarnation, sequence, request) "
            "SELECT id, 'ann', id, 's', 'n', 't', false, 'native', now(), 0, i, '' FROM (" +
            ids + ") t"),
        "");
    ASSERT_EQ(
        query(
            "INSERT INTO completions (call_id, session_key, incarnation, sequence, outcome, attempt, seq, started_at, "
            "completed_at, event) "
            "SELECT id, id, 0, i, 'succeeded', 1, 1, now(), now(), '' FROM (" +
            ids + ") t"),
        "");
  }
  /// A call without a completion.
  std::string add_incomplete() {
    test::MovedClock clock;
    clock.move_wall(seconds(-100));
    Script script(clock);
    auto call = script.call();
    call.clear_arguments();
    std::string hex;
    for (const unsigned char byte : proto::encode(call)) hex += fmt::format("{:02x}", byte);
    EXPECT_EQ(
        query(fmt::format(
            "INSERT INTO calls (call_id, user_id, session_key, session_id, namespace, tool, multi_step, pool, "
            "submitted_at, incarnation, sequence, request) "
            "VALUES ('{}', 'ann', '{}', 's', 'n', 't', false, 'native', now(), 0, 1, '\\x{}')",
            call.call_id(), call.session_key(), hex)),
        "");
    return call.call_id();
  }
};

// Ids newer than the statistics are what a reaper asks for: the planner takes a range of them for
// one row. A plan that compares each of these calls with each completion would need minutes.
TEST_F(ReaperAsks, FindTheIncompleteCallHoweverOldTheStatisticsAre) {
  const auto now = clock_.wall();
  add_completed(now - hours(3), 5'000);
  EXPECT_EQ(query("ANALYZE calls; ANALYZE completions"), "");
  add_completed(now - seconds(100), 60'000);
  const auto id = add_incomplete();
  add_completed(now, 1);
  reaper::ElectedConnection connection(url_, {.statement = seconds(20)});
  ASSERT_TRUE(connection.elected());
  const auto found = reaper::RecordedCalls(connection)
                         .incomplete(store::first_call_id(now - seconds(200)),
                                     store::first_call_id(now - seconds(50)), 100);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front().request.call_id(), id);
}

// Their plans are kept. Until Postgres has analysed the tables, that may be one made for none.
TEST_F(ReaperAsks, ReadNoWholeTableWithAPlanThatWasMadeWhileTheTablesWereEmpty) {
  const auto now = clock_.wall();
  reaper::ElectedConnection connection(url_);
  ASSERT_TRUE(connection.elected());
  const auto incomplete = [&] {
    return reaper::RecordedCalls(connection)
        .incomplete(store::first_call_id(now - seconds(200)),
                    store::first_call_id(now - seconds(50)), 100);
  };
  const auto whole_reads = [&] {
    EXPECT_TRUE(connection.ask("SELECT pg_stat_force_next_flush()"));
    return query(
        "SELECT sum(seq_scan) FROM pg_stat_user_tables WHERE relname ~ '^(calls|completions)_'");
  };
  ASSERT_TRUE(incomplete());
  add_completed(now - seconds(100), 100);
  add_incomplete();
  const auto before = whole_reads();
  const auto found = incomplete();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->size(), 1U);
  EXPECT_EQ(whole_reads(), before);
}

}  // namespace
}  // namespace toolway::persistence
