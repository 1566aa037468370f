#include "gateway/mcp/poll_pace.h"

#include <gtest/gtest.h>

namespace toolway::gateway::mcp {
namespace {

using std::chrono::milliseconds;

class PollPaceTest : public testing::Test {
 protected:
  milliseconds poll(const std::string& task, milliseconds after = milliseconds(0)) {
    now_ += after;
    return pace_.wait_of(task, now_);
  }
  PollPace pace_;
  MonotonicTime now_ = MonotonicTime() + std::chrono::hours(1);
};

TEST_F(PollPaceTest, OnlyPollsWithoutPauseWait) {
  EXPECT_EQ(poll("a"), milliseconds(0));
  EXPECT_EQ(poll("b"), milliseconds(0)) << "another task";
  EXPECT_EQ(poll("a", milliseconds(40)), milliseconds(60));
  EXPECT_EQ(poll("a", milliseconds(200)), milliseconds(0));
  EXPECT_EQ(poll("a", PollPace::kPollInterval), milliseconds(0));
}

TEST_F(PollPaceTest, PollsAtTheSameTimeWaitForEachOtherAndNotForever) {
  for (int i = 0; i < 10; ++i) EXPECT_EQ(poll("a"), i * PollPace::kPollInterval);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(poll("a"), PollPace::kMaxWait);
}

TEST_F(PollPaceTest, ManyTasksTakeNoMoreThanTheirRoom) {
  const auto name = [](std::size_t i) { return std::to_string(i); };
  for (std::size_t i = 0; i < PollPace::kMaxTasks + 10; ++i) poll(name(i));
  EXPECT_EQ(pace_.tasks(), PollPace::kMaxTasks);
  EXPECT_EQ(poll(name(PollPace::kMaxTasks + 5)), milliseconds(0)) << "no other is slowed";
  EXPECT_EQ(poll("0"), PollPace::kPollInterval);
  poll("new", milliseconds(150));
  EXPECT_EQ(pace_.tasks(), 2U) << "those of then have left, but 0, which waits";
}

}  // namespace
}  // namespace toolway::gateway::mcp
