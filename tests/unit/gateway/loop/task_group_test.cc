#include "gateway/loop/task_group.h"

#include <gtest/gtest.h>

namespace toolway::gateway::loop {
namespace {

using std::chrono::milliseconds;

/// Ends when its gate does, which it shares with the test: a group's tasks may outlast it.
Task<int> gated(std::shared_ptr<Timer> gate, int result) {
  co_await wait_on(*gate);
  co_return result;
}

class TaskGroupTest : public testing::Test {
 protected:
  std::shared_ptr<Timer> closed_gate() {
    return std::make_shared<Timer>(io_.get_executor(), Timer::time_point::max());
  }
  template <typename Step>
  void run(Step step) {
    auto ended = [](std::exception_ptr error) {
      if (error) std::rethrow_exception(error);
    };
    asio::co_spawn(io_.get_executor(), step(), ended);
    io_.run();
  }

  asio::io_context io_;
};

TEST_F(TaskGroupTest, WaitsForAllOfThem) {
  const auto first = closed_gate();
  const auto second = closed_gate();
  run([&]() -> Task<void> {
    TaskGroup group(io_.get_executor());
    const auto one = group.start(gated(first, 1));
    const auto two = group.start(gated(second, 2));
    asio::post(io_, [&] { first->cancel(); });
    asio::post(io_, [&] { second->cancel(); });
    co_await group.wait();
    EXPECT_EQ(one->value_or(0), 1);
    EXPECT_EQ(two->value_or(0), 2);
  });
}

TEST_F(TaskGroupTest, ATaskThatTakesTooLongIsGivenUpAndEndsByItself) {
  const auto gate = closed_gate();
  std::shared_ptr<std::optional<int>> late;
  run([&]() -> Task<void> {
    TaskGroup group(io_.get_executor());
    late = group.start(gated(gate, 1));
    co_await group.wait(milliseconds(5));
    EXPECT_FALSE(late->has_value());
    gate->cancel();
  });
  EXPECT_EQ(late->value_or(0), 1);
}

TEST_F(TaskGroupTest, AWaitThatIsNotUsedUpLeavesTheNextOneItsTime) {
  const auto gate = closed_gate();
  run([&]() -> Task<void> {
    TaskGroup group(io_.get_executor());
    group.start(gated(gate, 1));
    co_await group.wait(milliseconds(5));
    const auto second = closed_gate();
    const auto result = group.start(gated(second, 2));
    asio::post(io_, [&] { gate->cancel(); });
    asio::post(io_, [second] { second->cancel(); });
    co_await group.wait(std::chrono::hours(1));
    EXPECT_EQ(result->value_or(0), 2);
  });
}

TEST_F(TaskGroupTest, WithoutTasksItDoesNotWait) {
  run([&]() -> Task<void> { co_await TaskGroup(io_.get_executor()).wait(std::chrono::hours(1)); });
}

}  // namespace
}  // namespace toolway::gateway::loop
