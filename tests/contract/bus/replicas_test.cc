#include <gtest/gtest.h>

#include "bus/answer.h"
#include "tests/contract/bus/bus_fixture.h"

namespace toolway::test {
namespace {

// It would take them, and could not read its streams when it starts again.
TEST(Replicas, AreRefusedByABusWhoseServerRunsAlone) {
  JetStreamUnderTest alone;
  ASSERT_TRUE(alone.bus().provision({.pools = {{.name = "native"}}}));
  const auto made = alone.bus().provision({.pools = {{.name = "native"}}, .replicas = 3});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kInvalidRequest);
  EXPECT_EQ(made.error().message,
            "stream CALLS: 3 replicas need a cluster of nats-servers, and this one runs alone: "
            "`toolway migrate --replicas 1`");
  const auto calls = bus::answer_of<bus::StreamState>(
      [&](auto handler) { alone.bus().stream_state("CALLS", std::move(handler)); });
  ASSERT_TRUE(calls);
  EXPECT_EQ(calls->replicas, 1U);
  JetStreamUnderTest fresh;
  EXPECT_FALSE(fresh.bus().provision({.pools = {{.name = "native"}}, .replicas = 3}));
}

}  // namespace
}  // namespace toolway::test
