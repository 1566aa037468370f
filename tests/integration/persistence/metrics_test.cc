// What collectors and reaper tell about streams, sessions and Postgres.
#include <thread>

#include "monitoring/metrics.h"
#include "persistence/reaper/database_facts.h"
#include "persistence/reaper/reaper.h"
#include "tests/integration/persistence/fleet_fixture.h"

namespace toolway::persistence {
namespace {

using std::chrono::milliseconds;

class StoreMetrics : public FleetFixture {
 protected:
  static bool has(monitoring::Metrics& metrics, const std::string& line) {
    return metrics.scrape().find(line + "\n") != std::string::npos;
  }
  /// Scrapes until the line is there, or is not.
  testing::AssertionResult says(monitoring::Metrics& metrics, const std::string& line,
                                bool wanted = true) {
    const auto deadline = std::chrono::steady_clock::now() + test::kPatience;
    while (has(metrics, line) != wanted) {
      if (std::chrono::steady_clock::now() > deadline)
        return testing::AssertionFailure() << line << ":\n" << metrics.scrape();
      std::this_thread::sleep_for(milliseconds(20));
    }
    return testing::AssertionSuccess();
  }
  testing::AssertionResult no_longer_says(monitoring::Metrics& metrics, const std::string& line) {
    return says(metrics, line, false);
  }
  reaper::ReaperOptions options() const {
    reaper::ReaperOptions options;
    options.postgres_url = url_;
    options.every = milliseconds(50);
    options.settle = milliseconds(0);
    options.window = std::chrono::hours(1);
    options.measure_every = milliseconds(50);
    return options;
  }
  std::unique_ptr<monitoring::Metrics> shown_ = monitoring::make_metrics("test");
};

TEST_F(StoreMetrics, ACollectorThatCannotRecordSaysHowFarItLags) {
  Script script(clock_);
  for (int i = 0; i < 3; ++i) script.call();
  publish(script);
  // No server listens there.
  const auto collector =
      collector::start_collector(*bus_, *shown_, {.postgres_url = "postgresql://127.0.0.1:1/none"});
  EXPECT_TRUE(says(*shown_, "toolway_collector_lag_messages{stream=\"CALLS\"} 3"));
  EXPECT_TRUE(no_longer_says(*shown_, "toolway_collector_lag_seconds{stream=\"CALLS\"} 0"));
  EXPECT_TRUE(has(*shown_, "toolway_collector_lag_messages{stream=\"EVENTS\"} 0"));
}

TEST_F(StoreMetrics, ALockedTableHoldsUpNeitherTheReaperNorItsEnd) {
  Script script(clock_);
  auto call = script.call();
  call.mutable_limits()->set_queue_ms(1);
  call.set_submitted_at_us(call.submitted_at_us() - 10'000'000);
  script.entries.back().payload = proto::encode(call);
  publish(script);
  const auto collector = collect(*bus_);
  ASSERT_TRUE(metrics_.reaches(monitoring::kBatchSize, 1));
  auto locking = postgres::PgConnection::open(url_);
  ASSERT_TRUE(locking);
  ASSERT_TRUE(locking->execute("BEGIN"));
  ASSERT_TRUE(locking->execute("LOCK TABLE dead_events IN ACCESS EXCLUSIVE MODE"));
  auto reaper = reaper::start_reaper(*bus_, *shown_, clock_, options());
  EXPECT_TRUE(says(*shown_, "toolway_reaper_leader 1"));
  EXPECT_TRUE(says(*shown_, "toolway_reaped_total{action=\"queue_limit\"} 1"));
  reaper.reset();  // the table is locked still
}

TEST_F(StoreMetrics, TheReaperCountsSessionsByTheirIncompleteCalls) {
  Script busy(clock_);
  std::vector<v1::CallRequest> calls;
  for (int i = 0; i < 3; ++i) calls.push_back(busy.call());
  busy.started(calls[0], 1);
  busy.started(calls[1], 1);
  Script other(clock_);
  other.call();
  publish(busy);
  publish(other);
  const auto collector = collect(*bus_);
  ASSERT_TRUE(metrics_.reaches(monitoring::kBatchSize, 6));
  const auto reaper = reaper::start_reaper(*bus_, *shown_, clock_, options());
  EXPECT_TRUE(says(*shown_, "toolway_sessions_incomplete{calls=\"2-5\"} 1"));
  EXPECT_TRUE(says(*shown_, "toolway_sessions_incomplete{calls=\"1\"} 1"));
  EXPECT_TRUE(says(*shown_, "toolway_reaper_watched_calls 4"));
  // It completes two; what the reaper does not look at for a minute is known at once all the same.
  const auto so_far = busy.entries.size();
  busy.completed(calls[0], 2);
  busy.completed(calls[1], 2);
  publish(busy, so_far);
  EXPECT_TRUE(says(*shown_, "toolway_sessions_incomplete{calls=\"1\"} 2"));
  EXPECT_TRUE(says(*shown_, "toolway_sessions_incomplete{calls=\"2-5\"} 0"));
  EXPECT_TRUE(says(*shown_, "toolway_reaper_watched_calls 2"));
}

TEST_F(StoreMetrics, TheReaperCountsWhatItCompletes) {
  Script script(clock_);
  auto lost = script.call();
  lost.mutable_limits()->set_total_ms(1);
  lost.set_submitted_at_us(lost.submitted_at_us() - 10'000'000);
  script.entries.back().payload = proto::encode(lost);
  publish(script);
  const auto collector = collect(*bus_);
  auto chosen = options();
  chosen.rules.slack = milliseconds(0);
  const auto reaper = reaper::start_reaper(*bus_, *shown_, clock_, chosen);
  EXPECT_TRUE(says(
      *shown_,
      fmt::format("toolway_calls_completed_total{{outcome=\"lost\",pool=\"{}\",tool=\"{}.{}\"}} 1",
                  lost.pool(), lost.labels().namespace_(), lost.labels().tool())));
  EXPECT_TRUE(says(*shown_, "toolway_reaped_total{action=\"lost\"} 1"));
}

TEST_F(StoreMetrics, OnlyTheReaperTellsAboutPostgresAndTheOthersShowZero) {
  auto first = reaper::start_reaper(*bus_, *shown_, clock_, options());
  EXPECT_TRUE(says(*shown_, "toolway_reaper_leader 1"));
  const auto second_shows = monitoring::make_metrics("test");
  const auto second = reaper::start_reaper(*bus_, *second_shows, clock_, options());
  const std::string no_size = "toolway_store_bytes{table=\"calls\"} 0";
  EXPECT_TRUE(no_longer_says(*shown_, no_size));
  EXPECT_TRUE(says(*second_shows, "toolway_reaper_leader 0"));
  EXPECT_TRUE(has(*second_shows, no_size));
  first.reset();
  EXPECT_TRUE(has(*shown_, no_size));
  EXPECT_TRUE(has(*shown_, "toolway_store_connections{state=\"idle\"} 0"));
  EXPECT_TRUE(says(*second_shows, "toolway_reaper_leader 1"));
  EXPECT_TRUE(no_longer_says(*second_shows, no_size));
}

TEST_F(StoreMetrics, PostgresSaysHowLargeAndHowBusyItIs) {
  reaper::ElectedConnection connection(url_);
  ASSERT_TRUE(connection.elected());
  const auto before = reaper::database_facts(connection);
  ASSERT_TRUE(before) << before.error().message;
  for (std::size_t i = 0; i < reaper::kOurTables.size(); ++i)
    EXPECT_GT(before->table_bytes[i], 0U) << reaper::kOurTables[i];
  EXPECT_EQ(before->oldest_transaction.count(), 0);
  auto writes = postgres::PgConnection::open(url_);
  ASSERT_TRUE(writes);
  ASSERT_TRUE(writes->execute(
      "BEGIN; INSERT INTO recorded_batches (xid, committed_at) VALUES ('1', now())"));
  auto reads = postgres::PgConnection::open(url_);
  ASSERT_TRUE(reads && reads->execute("BEGIN; SELECT count(*) FROM calls"));
  const auto during = reaper::database_facts(connection);
  ASSERT_TRUE(during);
  EXPECT_GT(during->oldest_transaction.count(), 0);
  EXPECT_EQ(during->connections[2], before->connections[2] + 2) << "idle_in_transaction";
  EXPECT_GE(during->connections[1], 1U) << "ours, idle except for the question";
  ASSERT_TRUE(writes->execute("ROLLBACK"));
  const auto after = reaper::database_facts(connection);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->oldest_transaction.count(), 0) << "one that only reads holds nothing up";
}

TEST_F(StoreMetrics, EveryTableOfTheMigrationsIsTold) {
  auto connection = postgres::PgConnection::open(url_);
  ASSERT_TRUE(connection);
  const auto tables = connection->execute(
      "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition "
      "AND relnamespace = current_schema()::regnamespace ORDER BY 1");
  ASSERT_TRUE(tables);
  std::vector<std::string> there;
  for (const auto& row : *tables) there.push_back(row.get<std::string>("relname"));
  std::vector<std::string> told(reaper::kOurTables.begin(), reaper::kOurTables.end());
  std::ranges::sort(told);
  EXPECT_EQ(told, there);
}

}  // namespace
}  // namespace toolway::persistence
