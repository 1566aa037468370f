#include <gtest/gtest.h>

#include "base/json.h"
#include "bus/topology.h"
#include "tests/integration/persistence/fleet_fixture.h"

namespace toolway::persistence {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

class DurablesOnNats : public FleetFixture {
 protected:
  Json ask(const std::string& what, const std::string& body = {}) {
    auto answer = bus::answer_of<std::string>(
        [&](auto handler) { bus_->request("$JS.API.CONSUMER." + what, body, handler); });
    EXPECT_TRUE(answer) << answer.error().message;
    return answer ? *parse_json(*answer) : Json();
  }
  seconds ack_wait(const std::string& durable) {
    return std::chrono::duration_cast<seconds>(
        nanoseconds(ask("INFO.CALLS." + durable)["config"]["ack_wait"].get<std::int64_t>()));
  }
};

TEST_F(DurablesOnNats, OfAPoolComeAgainSoonAndThoseOfCollectorsLater) {
  EXPECT_EQ(ack_wait("native-normal-0"), bus::kCallAckWait);
  EXPECT_EQ(ack_wait("native-bulk-0"), bus::kCallAckWait);
  EXPECT_EQ(ack_wait("collector"), bus::kAckWait);
}

TEST_F(DurablesOnNats, AreBroughtUpToDateByAnotherMigration) {
  // As a version made it that waited 30 s.
  const std::string config =
      R"({"stream_name": "CALLS", "config": {"durable_name": "native-normal-0", "deliver_policy": "all",
      "ack_policy": "explicit", "ack_wait": 30000000000, "max_deliver": -1, "replay_policy": "instant", "max_ack_pending": 1000,
      "filter_subject": "call.native.normal.0.>"}})";
  const auto made = ask("DURABLE.CREATE.CALLS.native-normal-0", config);
  ASSERT_FALSE(made.contains("error")) << made.dump();
  ASSERT_EQ(ack_wait("native-normal-0"), seconds(30));
  const auto again = bus_->provision(layout_);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(ack_wait("native-normal-0"), bus::kCallAckWait);
}

}  // namespace
}  // namespace toolway::persistence
