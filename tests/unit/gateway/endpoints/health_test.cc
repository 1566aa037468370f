#include <gtest/gtest.h>

#include "base/json.h"
#include "gateway/endpoints/health_handlers.h"

namespace toolway::gateway::endpoints {
namespace {

Health well() { return {.switches = true, .clock = "ok"}; }
Json body(const Health& health) { return Json::parse(readyz(health).body); }

TEST(Readiness, NeedsTheBusTheSwitchesAndAGatewayThatStays) {
  EXPECT_EQ(readyz(well()).status, 200U);
  Health health = well();
  health.nats.ever_heard = false;
  EXPECT_EQ(readyz(health).status, 503U);
  EXPECT_EQ(body(health)["nats"], "JetStream does not answer");
  health.nats.connection = bus::Connection::kDisconnected;
  EXPECT_EQ(body(health)["nats"], "does not answer");
  health = well();
  health.switches = false;
  EXPECT_EQ(readyz(health).status, 503U);
  EXPECT_EQ(body(health)["switches"], "not read yet");
  health = well();
  health.policies_known = false;
  health.policies = "not read yet";
  EXPECT_EQ(readyz(health).status, 503U);
  EXPECT_EQ(body(health)["policies"], "not read yet");
  health = well();
  health.policies = "cannot be read";
  EXPECT_EQ(readyz(health).status, 200U) << "the last one is in force";
  health = well();
  health.draining = true;
  const auto response = readyz(health);
  EXPECT_EQ(response.status, 503U);
  EXPECT_EQ(response.headers, "retry-after: 1\r\n");
}

TEST(Readiness, ReportsPostgresAndTheClockAndStaysReady) {
  Health health = well();
  health.clock = "3 s ahead of NATS";
  health.postgres = fail(ErrorCode::kStoreUnavailable, "no answer");
  EXPECT_EQ(readyz(health).status, 200U);
  EXPECT_EQ(body(health)["postgres"], "does not answer");
  EXPECT_EQ(body(health)["clock"], "3 s ahead of NATS");
  health.postgres = fail(ErrorCode::kInternal, "no tables");
  EXPECT_EQ(readyz(health).status, 200U);
  EXPECT_EQ(body(health)["postgres"], "not migrated");
}

TEST(Readiness, SaysWhatAcceptedCallsSurviveWhereItWasTold) {
  Health health = well();
  EXPECT_FALSE(body(health).contains("durability"));
  health.durability = Durability::kPower;
  EXPECT_EQ(body(health)["durability"], "power");
}

}  // namespace
}  // namespace toolway::gateway::endpoints
