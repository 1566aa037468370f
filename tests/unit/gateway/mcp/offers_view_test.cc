#include "gateway/mcp/offers_view.h"

#include <gtest/gtest.h>

#include "bus/in_memory_bus.h"
#include "tests/support/test_clock.h"
#include "tests/unit/gateway/bus_loop.h"
#include "tests/unit/gateway/mcp/offers_of.h"

namespace toolway::gateway::mcp {
namespace {

TEST(OffersView, WhatHasTheSameIdHasNotChanged) {
  const auto bus = bus::make_in_memory_bus();
  BusLoop loop(*bus);
  const test::StoppedClock clock;
  loop::WorkPool work(loop.io_post(), clock, 1);
  tools::specs::LiveOffers live;
  OffersView view(live, work);
  const std::vector<std::string> narrow{"default"};
  const std::vector<std::string> wide{"*"};
  const auto before = view.of(narrow, nullptr);
  EXPECT_EQ(view.of(narrow, nullptr), before);
  EXPECT_NE(view.of(wide, nullptr)->id(), before->id());
  live.replace(test::offers_of("resources: [{uri: 'x://a', name: a, text: x}]"));
  const auto after = view.of(narrow, nullptr);
  EXPECT_NE(after->id(), before->id());
  EXPECT_EQ(after->resources().size(), 1U);
  EXPECT_TRUE(before->resources().empty());
}

}  // namespace
}  // namespace toolway::gateway::mcp
