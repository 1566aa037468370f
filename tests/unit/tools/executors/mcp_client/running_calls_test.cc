#include "tools/executors/mcp_client/running_calls.h"

#include <gtest/gtest.h>

#include <optional>

namespace toolway::tools::executors::mcp_client {
namespace {

class RunningCallsTest : public testing::Test {
 protected:
  /// Whether it gets a call, and that one.
  bool gets(const LinkCall& wanted, std::uint64_t session = 1) {
    const LinkCall* got = nullptr;
    const bool any = running_.with_only(session, [&](const LinkCall& call) { got = &call; });
    EXPECT_EQ(any, got != nullptr);
    return got == &wanted;
  }
  RunningCalls running_;
  LinkCall a_;
  LinkCall b_;
};

TEST_F(RunningCallsTest, OfOneThatRunsAloneItIsCertain) {
  EXPECT_FALSE(gets(a_));
  std::optional<RunningCalls::Entry> a(std::in_place, running_, a_);
  EXPECT_TRUE(gets(a_));
  {
    const RunningCalls::Entry b(running_, b_);
    EXPECT_FALSE(gets(a_)) << "it may be of either";
    EXPECT_FALSE(gets(b_));
  }
  EXPECT_TRUE(gets(a_));
  a.reset();
  EXPECT_FALSE(gets(a_));
}

TEST_F(RunningCallsTest, OneThatWasGivenUpMayStillRunUntilTheSessionEnds) {
  const RunningCalls::Entry a(running_, a_);
  running_.gave_up(1);
  EXPECT_FALSE(gets(a_, 1));
  EXPECT_TRUE(gets(a_, 2));
}

}  // namespace
}  // namespace toolway::tools::executors::mcp_client
