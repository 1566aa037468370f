#include "gateway/mcp/usual_runs.h"

#include <gtest/gtest.h>

namespace toolway::gateway::mcp {
namespace {

using std::chrono::milliseconds;

v1::CallEvent end_of(const std::string& tool, std::int64_t run_ms) {
  v1::CallEvent end;
  end.mutable_labels()->set_namespace_("ns");
  end.mutable_labels()->set_tool(tool);
  end.set_time_us(1'000'000'000);
  end.mutable_completed()->set_started_at_us(1'000'000'000 - run_ms * 1000);
  return end;
}

TEST(UsualRuns, AClientLooksTenTimesInARun) {
  UsualRuns runs;
  EXPECT_EQ(runs.poll_interval("ns.t"), UsualRuns::kUnknown);
  runs.ended(end_of("t", 30'000));
  EXPECT_EQ(runs.poll_interval("ns.t"), milliseconds(3000));
  EXPECT_EQ(runs.poll_interval("ns.other"), UsualRuns::kUnknown);
  runs.ended(end_of("t", 70'000));
  EXPECT_EQ(runs.poll_interval("ns.t"), milliseconds(3500)) << "an eighth of it";
}

TEST(UsualRuns, NeitherTooOftenNorTooSeldom) {
  UsualRuns runs;
  runs.ended(end_of("quick", 1));
  EXPECT_EQ(runs.poll_interval("ns.quick"), UsualRuns::kMinInterval);
  runs.ended(end_of("slow", 86'400'000));
  EXPECT_EQ(runs.poll_interval("ns.slow"), UsualRuns::kMaxInterval);
}

TEST(UsualRuns, WhatNeverStartedSaysNothing) {
  UsualRuns runs;
  auto end = end_of("t", 5000);
  end.mutable_completed()->set_started_at_us(0);
  runs.ended(end);
  end.mutable_completed()->set_started_at_us(2'000'000'000);
  runs.ended(end);
  EXPECT_EQ(runs.poll_interval("ns.t"), UsualRuns::kUnknown);
}

}  // namespace
}  // namespace toolway::gateway::mcp
