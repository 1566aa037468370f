#include "tests/integration/persistence/fleet_fixture.h"

namespace toolway::persistence {
namespace {

class CollectorOnNats : public FleetFixture {};

TEST_F(CollectorOnNats, HasAcknowledgedAllThatItRecordedWhenItStopped) {
  Script script(clock_);
  for (int i = 0; i < 300; ++i) script.completed(script.call(), 1);
  publish(script);
  {
    const auto own = connect();
    const auto collector = collector::start_collector(
        *own, metrics_, {.postgres_url = url_, .batch_size = 7, .max_pending = 20});
    ASSERT_TRUE(metrics_.reaches(monitoring::kBatchSize, 100));
    collector->stop();
  }
  for (const auto stream : {proto::kCallsStream, proto::kEventsStream}) {
    const auto recorded =
        std::stoull(query(stream == proto::kCallsStream ? "SELECT count(*) FROM calls"
                                                        : "SELECT count(*) FROM completions"));
    // What was in progress and given back comes again; what was recorded does not.
    EXPECT_EQ(acknowledged(stream, recorded), recorded);
  }
  EXPECT_NE(query("SELECT count(*) FROM completions"), "300");
}

}  // namespace
}  // namespace toolway::persistence
