#include "gateway/catalogue/spec_shelf.h"

#include <gtest/gtest.h>

#include "bus/in_memory_bus.h"
#include "tests/support/forwarding_bus.h"
#include "tests/support/test_clock.h"
#include "tests/unit/gateway/bus_loop.h"
#include "tools/model/kinds.h"

namespace toolway::gateway::catalogue {
namespace {

class CountingBus final : public test::ForwardingBus {
 public:
  using ForwardingBus::ForwardingBus;
  void publish(bus::Publication publication, bus::PublishHandler handler) override {
    ++published;
    ForwardingBus::publish(std::move(publication), std::move(handler));
  }
  int published = 0;
};

class SpecShelfTest : public testing::Test {
 protected:
  SpecShelfTest() { EXPECT_TRUE(memory_->provision({.pools = {{"native", 1}}})); }
  bool put() { return loop_.run(shelf_.put(*tool_)).has_value(); }

  const std::unique_ptr<bus::InMemoryBus> memory_ = bus::make_in_memory_bus();
  CountingBus bus_{*memory_};
  BusLoop loop_{bus_};
  test::StoppedClock clock_;
  SpecShelf shelf_{loop_.bus(), clock_};
  const tools::model::RegisteredToolPtr tool_ =
      *tools::model::register_tool(tools::model::declared_tool(
          {.name = "buy", .ns = "shop", .input_schema = {{"type", "object"}}}));
};

TEST_F(SpecShelfTest, WritesASpecOnceAndAgainLongBeforeTheBucketForgetsIt) {
  EXPECT_TRUE(put());
  clock_.advance(std::chrono::hours(12) - std::chrono::seconds(1));
  EXPECT_TRUE(put());
  EXPECT_EQ(bus_.published, 1);
  clock_.advance(std::chrono::seconds(1));
  EXPECT_TRUE(put());
  EXPECT_EQ(bus_.published, 2);
  EXPECT_TRUE(put());
  EXPECT_EQ(bus_.published, 2) << "the twelve hours begin again";
}

TEST_F(SpecShelfTest, WhatTheBusDidNotStoreIsWrittenAgain) {
  memory_->disconnect();
  EXPECT_FALSE(put());
  memory_->reconnect();
  EXPECT_TRUE(put());
  EXPECT_EQ(bus_.published, 2);
}

}  // namespace
}  // namespace toolway::gateway::catalogue
