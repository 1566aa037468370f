#include "gateway/loop/work_pool.h"

#include <gtest/gtest.h>

#include "bus/in_memory_bus.h"
#include "tests/unit/gateway/bus_loop.h"

namespace toolway::gateway::loop {
namespace {

class WorkPoolTest : public testing::Test {
 protected:
  Result<int> run(WorkPool& pool, WorkPool::WhenFull when_full = WorkPool::WhenFull::kRefused) {
    return loop_.run(pool.run<int>([this]() -> Result<int> { return ++run_; }, when_full));
  }

  const std::unique_ptr<bus::InMemoryBus> memory_ = bus::make_in_memory_bus();
  BusLoop loop_{*memory_};
  const SystemClock clock_;
  WorkPool pool_{loop_.io_post(), clock_, 1};
  /// Whatever comes has waited for too long when a thread is free.
  WorkPool late_{loop_.io_post(), clock_, 1, std::chrono::milliseconds(-1)};
  int run_ = 0;
};

TEST_F(WorkPoolTest, RunsWhatComesInTime) { EXPECT_EQ(run(pool_), 1); }

TEST_F(WorkPoolTest, RefusesWhatHasWaitedForTooLong) {
  const auto refused = run(late_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kOverloaded);
  EXPECT_EQ(run_, 0);
}

TEST_F(WorkPoolTest, RunsWhatMayNotBeRefusedHoweverLate) {
  EXPECT_EQ(run(late_, WorkPool::WhenFull::kWaits), 1);
}

}  // namespace
}  // namespace toolway::gateway::loop
