#include "gateway/endpoints/find_call.h"

#include <gtest/gtest.h>

#include "monitoring/metric_names.h"

namespace toolway::gateway::endpoints {
namespace {

TEST(HoldCall, CountsALargeOneTwiceUntilItIsLetGo) {
  const auto metrics = monitoring::make_metrics("test");
  wire::MemoryBudget memory(1024 * 1024, metrics->gauge(monitoring::kMemoryHeld));
  persistence::store::RecordedCall call;
  call.arguments = std::string(1000, 'x');
  EXPECT_EQ(hold_call(memory, call)->bytes(), 0U) << "part of what each connection takes";
  call.completion.emplace();
  call.completion->mutable_completed()->set_result(std::string(300'000, 'x'));
  {
    const auto held = hold_call(memory, call);
    ASSERT_TRUE(held);
    EXPECT_EQ(memory.held(), 2 * (1000 + call.completion->ByteSizeLong()));
    const auto refused = hold_call(memory, call);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().error.code, ErrorCode::kOverloaded);
  }
  EXPECT_EQ(memory.held(), 0U);
}

}  // namespace
}  // namespace toolway::gateway::endpoints
