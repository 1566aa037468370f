#include "gateway/answers/written_answer.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "bus/in_memory_bus.h"
#include "monitoring/metric_names.h"
#include "tests/unit/gateway/bus_loop.h"

namespace toolway::gateway::answers {
namespace {

constexpr std::size_t kLarge = loop::WorkPool::kSmall + 1;

class WrittenAnswer : public testing::Test {
 protected:
  /// An answer of `bytes`; notes where it was written.
  wire::HttpResult<wire::Response> write(std::size_t bytes, Sent sent) {
    return loop_.run(
        written({memory_, work_}, wire::Response{}, bytes, sent, [&](std::string& body) {
          thread_ = std::this_thread::get_id();
          body.append(bytes, 'x');
        }));
  }

  const std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("test");
  const std::unique_ptr<bus::InMemoryBus> bus_ = bus::make_in_memory_bus();
  BusLoop loop_{*bus_};
  wire::MemoryBudget memory_{2 * kLarge, metrics_->gauge(monitoring::kMemoryHeld)};
  const SystemClock clock_;
  loop::WorkPool work_{loop_.io_post(), clock_, 1};
  std::thread::id thread_;
};

TEST_F(WrittenAnswer, ASmallOneIsWrittenOnTheLoop) {
  const auto response = write(loop::WorkPool::kSmall, Sent::kIfThereIsRoom);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body.size(), loop::WorkPool::kSmall);
  EXPECT_EQ(thread_, std::this_thread::get_id());
}

TEST_F(WrittenAnswer, ALargeOneIsWrittenOnAnotherThread) {
  const auto response = write(kLarge, Sent::kIfThereIsRoom);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body.size(), kLarge);
  EXPECT_NE(thread_, std::this_thread::get_id());
}

TEST_F(WrittenAnswer, ALargeOneIsHeldUntilItIsGone) {
  {
    const auto response = write(kLarge, Sent::kIfThereIsRoom);
    EXPECT_EQ(memory_.held(), kLarge);
  }
  EXPECT_EQ(memory_.held(), 0U);
}

TEST_F(WrittenAnswer, ALargeOneIsRefusedWithoutRoomUnlessItTellsWhatWasDone) {
  const auto taken = memory_.take(wire::MemoryUse::kRequest, 2 * kLarge);
  ASSERT_TRUE(taken);
  const auto refused = write(kLarge, Sent::kIfThereIsRoom);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error.code, ErrorCode::kOverloaded);
  EXPECT_EQ(thread_, std::thread::id());
  EXPECT_TRUE(write(kLarge, Sent::kAlways));
  EXPECT_EQ(memory_.held(), 2 * kLarge);
}

}  // namespace
}  // namespace toolway::gateway::answers
