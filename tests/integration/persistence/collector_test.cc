#include "persistence/collector/collector.h"

#include <csignal>
#include <functional>
#include <mutex>
#include <vector>

#include "bus/in_memory_bus.h"
#include "monitoring/metric_names.h"
#include "tests/integration/persistence/signalling_metrics.h"
#include "tests/integration/persistence/store_fixture.h"
#include "tests/support/forwarding_bus.h"

namespace toolway::persistence {
namespace {

class CollectorOnPostgres : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    migrate_now();
    auto provisioned = bus_->provision(bus::Layout{.pools = {{"native"}}});
    ASSERT_TRUE(provisioned) << provisioned.error().message;
  }

  void publish(const Script& script, std::size_t first = 0) {
    for (auto i = first; i < script.entries.size(); ++i) {
      auto acknowledged = [](Result<bus::PubAck> ack) { EXPECT_TRUE(ack); };
      bus_->publish({script.entries[i].subject, script.entries[i].payload}, acknowledged);
    }
    bus_->quiesce();
  }

  std::unique_ptr<collector::Collector> start(std::size_t batch_size = 2000) {
    return collector::start_collector(
        *bus_, metrics_, {.postgres_url = url_, .batch_size = batch_size, .max_pending = 4000});
  }

  /// Calls with two events each: `3 * calls` messages.
  void make_calls(Script& script, int calls) {
    for (int i = 0; i < calls; ++i) {
      const auto call = script.call();
      script.started(call, 1);
      script.completed(call, 2);
    }
  }

  std::uint64_t unacknowledged(std::string_view stream) {
    test::Awaited<Result<bus::ConsumerState>> state;
    bus_->consumer_state({std::string(stream), std::string(proto::kCollectorDurable)},
                         state.callback());
    auto answer = state.next();
    return answer && *answer ? (*answer)->pending + (*answer)->ack_pending : 999'999;
  }

  std::unique_ptr<bus::InMemoryBus> bus_ = bus::make_in_memory_bus();
  SignallingMetrics metrics_;
};

TEST_F(CollectorOnPostgres, RecordsAndAcknowledgesAllThreeStreams) {
  Script script(clock_);
  script.record(v1::SessionRecord::STATE_OPEN);
  make_calls(script, 50);
  const auto collector = start();
  publish(script);
  ASSERT_TRUE(metrics_.reaches(monitoring::kBatchSize, 151));
  // The time of the last COMMIT is written on its own once it is quiet.
  collector->stop();
  EXPECT_EQ(query("SELECT (SELECT count(*) FROM calls), (SELECT count(*) FROM call_events), "
                  "(SELECT count(*) FROM completions), (SELECT count(*) FROM sessions)"),
            "50|50|50|1");
  EXPECT_EQ(query("SELECT count(*) FROM completions JOIN recorded_batches USING (xid)"), "50");
  EXPECT_EQ(unacknowledged(proto::kCallsStream), 0U);
  EXPECT_EQ(unacknowledged(proto::kEventsStream), 0U);
  EXPECT_EQ(unacknowledged(proto::kSessionsStream), 0U);
  EXPECT_TRUE(metrics_.reaches(monitoring::kSubmitToRecorded, 50));
}

TEST_F(CollectorOnPostgres, RecordsTheChunksOfEveryAttemptOnceInAnyOrder) {
  Script script(clock_);
  const auto call = script.call();
  const std::string full(proto::kBlobChunkBytes, 'a');
  for (const unsigned number : {2U, 0U, 1U, 2U, 0U}) {
    script.chunk(call, 2, number, number == 2 ? "end" : full);
  }
  script.chunk(call, 1, 0, "of an earlier attempt");
  script.add(collector::Source::kBlobs, "blob.000.x.0", "garbage");
  const auto collector = start(2);
  publish(script);
  ASSERT_TRUE(metrics_.reaches(monitoring::kDeadEvents, 1));
  ASSERT_TRUE(metrics_.reaches(monitoring::kBatchSize, 8));
  collector->stop();
  EXPECT_EQ(unacknowledged(proto::kBlobsStream), 0U);
  EXPECT_EQ(query("SELECT stream, subject FROM dead_events"), "BLOBS|blob.000.x.0");
  const auto id = *CallId::parse(call.call_id());
  const auto store = reader();
  EXPECT_EQ(store->blob_chunks_recorded(id, 2).value(), 3U);
  EXPECT_EQ(store->blob_chunks_recorded(id, 3).value(), 0U);
  const auto pieces = store->blob_chunks(id, 2, 1, 9);
  ASSERT_TRUE(pieces) << pieces.error().message;
  ASSERT_EQ(pieces->size(), 2U);
  EXPECT_EQ(pieces->at(0).number, 1U);
  EXPECT_EQ(pieces->at(0).data, full);
  EXPECT_EQ(pieces->at(1).data, "end");
  EXPECT_EQ(store->blob_chunks(id, 1, 0, 1).value().at(0).data, "of an earlier attempt");
  EXPECT_NE(query("SELECT tableoid::regclass FROM blobs LIMIT 1"), "blobs_default");
}

/// Keeps back what others want sent in one turn.
class SlowTurns final : public test::ForwardingBus {
 public:
  using ForwardingBus::ForwardingBus;
  void in_one_turn(std::function<void()> task) override {
    const std::scoped_lock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  std::size_t turn() {
    const std::scoped_lock lock(mutex_);
    for (const auto& task : tasks_) task();
    return tasks_.size();
  }

 private:
  std::mutex mutex_;
  std::vector<std::function<void()>> tasks_;
};

TEST_F(CollectorOnPostgres, AcknowledgesABatchInOneTurnOfTheBus) {
  Script script(clock_);
  make_calls(script, 10);
  publish(script);
  SlowTurns slow(*bus_);
  // The whole batch at once, since the linger is long.
  const auto collector = collector::start_collector(
      slow, metrics_, {.postgres_url = url_, .batch_size = 30, .linger = std::chrono::minutes(1)});
  ASSERT_TRUE(metrics_.reaches(monitoring::kBatchSize, 30));
  collector->stop();
  EXPECT_EQ(unacknowledged(proto::kCallsStream), 10U);
  EXPECT_EQ(unacknowledged(proto::kEventsStream), 20U);
  EXPECT_EQ(slow.turn(), 1U);
  EXPECT_EQ(unacknowledged(proto::kCallsStream), 0U);
  EXPECT_EQ(unacknowledged(proto::kEventsStream), 0U);
}

TEST_F(CollectorOnPostgres, FlushesWhatItHoldsWhenStopped) {
  Script script(clock_);
  make_calls(script, 300);
  const auto collector = start(7);
  publish(script);
  collector->stop();
  EXPECT_EQ(query("SELECT count(*) FROM completions"), "300");
  EXPECT_EQ(unacknowledged(proto::kEventsStream), 0U);
}

TEST_F(CollectorOnPostgres, AcknowledgesPoisonThatItSetAside) {
  Script script(clock_);
  make_calls(script, 3);
  script.add(collector::Source::kEvents, "event.000.00000000000000000000000000000000.x", "garbage");
  const auto collector = start();
  publish(script);
  ASSERT_TRUE(metrics_.reaches(monitoring::kDeadEvents, 1));
  collector->stop();
  EXPECT_EQ(query("SELECT count(*) FROM dead_events"), "1");
  EXPECT_EQ(query("SELECT count(*) FROM completions"), "3");
  EXPECT_EQ(unacknowledged(proto::kEventsStream), 0U);
}

TEST_F(CollectorOnPostgres, LosesNothingWhenPostgresCrashes) {
  Script script(clock_);
  const auto collector = start(50);
  make_calls(script, 200);
  publish(script);
  ASSERT_TRUE(metrics_.reaches(monitoring::kBatches, 2));
  cluster_->stop(SIGQUIT);
  const auto published = script.entries.size();
  make_calls(script, 200);
  publish(script, published);
  ASSERT_TRUE(metrics_.reaches(monitoring::kStoreErrors, 2));
  const auto restarted = cluster_->restart();
  ASSERT_TRUE(restarted) << restarted.error().message;
  ASSERT_TRUE(metrics_.reaches(monitoring::kBatchSize, 1200));
  collector->stop();
  EXPECT_EQ(query("SELECT (SELECT count(*) FROM calls), (SELECT count(*) FROM call_events), "
                  "(SELECT count(*) FROM completions)"),
            "400|400|400");
  EXPECT_EQ(query("SELECT count(*) FROM dead_events"), "0");
  EXPECT_EQ(unacknowledged(proto::kEventsStream), 0U);
}

TEST_F(CollectorOnPostgres, RecordsWhatIsDeliveredAgainOnce) {
  Script script(clock_);
  make_calls(script, 100);
  const auto collector = start(1);
  publish(script);
  bus_->expire_deliveries();
  bus_->quiesce();
  collector->stop();
  EXPECT_EQ(query("SELECT count(*) FROM calls"), "100");
  EXPECT_EQ(query("SELECT count(*) FROM completions"), "100");
  EXPECT_EQ(query("SELECT count(*) FROM dead_events"), "0");
}

TEST_F(CollectorOnPostgres, WorksNextToAnother) {
  Script script(clock_);
  make_calls(script, 500);
  const auto first = start(20);
  const auto second = start(20);
  publish(script);
  bus_->expire_deliveries();
  ASSERT_TRUE(metrics_.reaches(monitoring::kBatchSize, 1500));
  bus_->quiesce();
  first->stop();
  second->stop();
  EXPECT_EQ(query("SELECT (SELECT count(*) FROM calls), (SELECT count(*) FROM call_events), "
                  "(SELECT count(*) FROM completions)"),
            "500|500|500");
  EXPECT_EQ(query("SELECT count(*) FROM dead_events"), "0");
}

TEST_F(CollectorOnPostgres, ContinuesAfterTheBusCameBack) {
  Script script(clock_);
  make_calls(script, 10);
  const auto collector = start();
  publish(script);
  ASSERT_TRUE(metrics_.reaches(monitoring::kBatchSize, 30));
  bus_->disconnect();
  bus_->reconnect();
  const auto published = script.entries.size();
  make_calls(script, 10);
  publish(script, published);
  ASSERT_TRUE(metrics_.reaches(monitoring::kBatchSize, 60));
  collector->stop();
  EXPECT_EQ(query("SELECT count(*) FROM completions"), "20");
  EXPECT_EQ(query("SELECT count(*) FROM completions WHERE incarnation = 0"), "0");
}

TEST_F(CollectorOnPostgres, StopsWhilePostgresIsAway) {
  Script script(clock_);
  make_calls(script, 10);
  cluster_->stop(SIGINT);
  {
    const auto collector = start();
    publish(script);
    ASSERT_TRUE(metrics_.reaches(monitoring::kStoreErrors, 1));
  }
  const auto restarted = cluster_->restart();
  ASSERT_TRUE(restarted) << restarted.error().message;
  bus_->expire_deliveries();
  const auto collector = start();
  ASSERT_TRUE(metrics_.reaches(monitoring::kBatchSize, 30));
  collector->stop();
  EXPECT_EQ(query("SELECT count(*) FROM completions"), "10");
}

}  // namespace
}  // namespace toolway::persistence
