#include "gateway/wire/memory_budget.h"

#include <gtest/gtest.h>

#include "monitoring/metric_names.h"

namespace toolway::gateway::wire {
namespace {

class MemoryBudgetTest : public testing::Test {
 protected:
  const std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("test");
  MemoryBudget budget_{1000, metrics_->gauge(monitoring::kMemoryHeld)};
};

TEST_F(MemoryBudgetTest, CountsWhatIsHeldUntilItIsGivenBack) {
  {
    auto share = budget_.take(MemoryUse::kRequest, 600);
    ASSERT_TRUE(share);
    EXPECT_EQ(budget_.held(), 600U);
    EXPECT_EQ(metrics_->gauge(monitoring::kMemoryHeld).value(), 600);
    EXPECT_TRUE(share->try_resize(1000));
    EXPECT_FALSE(share->try_resize(1001));
    EXPECT_EQ(share->bytes(), 1000U);
    share->resize(100);
    EXPECT_EQ(budget_.held(), 100U);
  }
  EXPECT_EQ(budget_.held(), 0U);
}

TEST_F(MemoryBudgetTest, FollowersWaitBeforeAnswersAndAnswersBeforeRequests) {
  const auto follower = budget_.take(MemoryUse::kFollower, 500);
  ASSERT_TRUE(follower);
  EXPECT_FALSE(budget_.take(MemoryUse::kFollower, 1));
  const auto answer = budget_.take(MemoryUse::kAnswer, 250);
  ASSERT_TRUE(answer);
  const auto refused = budget_.take(MemoryUse::kAnswer, 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error.code, ErrorCode::kOverloaded);
  EXPECT_TRUE(retry_after_seconds(refused.error()));
  const auto request = budget_.take(MemoryUse::kRequest, 250);
  ASSERT_TRUE(request);
  EXPECT_FALSE(budget_.take(MemoryUse::kRequest, 1));
}

TEST_F(MemoryBudgetTest, WhatIsHeldAlreadyCountsEvenBeyondIt) {
  auto share = budget_.take(MemoryUse::kRequest, 900);
  ASSERT_TRUE(share);
  MemoryBudget::Share more(budget_, MemoryUse::kAnswer);
  more.resize(400);
  EXPECT_EQ(budget_.held(), 1300U);
  EXPECT_FALSE(budget_.take(MemoryUse::kRequest, 1));
  EXPECT_TRUE(share->try_resize(800));  // less is always had
}

TEST_F(MemoryBudgetTest, AShareThatMovesIsHeldOnce) {
  auto share = budget_.take(MemoryUse::kRequest, 300);
  ASSERT_TRUE(share);
  MemoryBudget::Share moved = std::move(*share);
  EXPECT_EQ(budget_.held(), 300U);
  moved = MemoryBudget::Share();
  EXPECT_EQ(budget_.held(), 0U);
}

}  // namespace
}  // namespace toolway::gateway::wire
