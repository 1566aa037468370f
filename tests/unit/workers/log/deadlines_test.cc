#include "workers/log/deadlines.h"

#include <gtest/gtest.h>

namespace toolway::workers::log {
namespace {

using namespace std::chrono_literals;

const WallTime kSubmitted{std::chrono::hours(1)};
const MonotonicTime kNow{std::chrono::hours(2)};

v1::Limits limits(std::uint32_t queue_ms, std::uint32_t run_ms, std::uint32_t total_ms,
                  std::uint32_t heartbeat_ms) {
  v1::Limits made;
  made.set_queue_ms(queue_ms);
  made.set_run_ms(run_ms);
  made.set_total_ms(total_ms);
  made.set_heartbeat_ms(heartbeat_ms);
  return made;
}

TEST(Deadlines, QueueAndTotalCountFromTheSubmission) {
  const Deadlines deadlines(limits(1000, 0, 5000, 0), kSubmitted, kSubmitted + 400ms, kNow);
  EXPECT_EQ(deadlines.next(), kNow + 600ms);
  EXPECT_EQ(deadlines.exceeded(kNow + 599ms), std::nullopt);
  EXPECT_EQ(deadlines.exceeded(kNow + 600ms), LimitKind::kQueue);
}

TEST(Deadlines, AStartEndsTheTimeInTheQueueAndBeginsTheRun) {
  Deadlines deadlines(limits(1000, 2000, 10'000, 0), kSubmitted, kSubmitted, kNow);
  deadlines.started(kNow + 500ms);
  EXPECT_EQ(deadlines.exceeded(kNow + 2499ms), std::nullopt);
  EXPECT_EQ(deadlines.exceeded(kNow + 2500ms), LimitKind::kRun);
  EXPECT_EQ(deadlines.exceeded(kNow + 10s), LimitKind::kTotal);
}

TEST(Deadlines, ProgressPutsOffTheHeartbeatOnly) {
  Deadlines deadlines(limits(0, 5000, 0, 1000), kSubmitted, kSubmitted, kNow);
  EXPECT_EQ(deadlines.next(), MonotonicTime::max()) << "neither counts before the start";
  deadlines.started(kNow);
  EXPECT_EQ(deadlines.next(), kNow + 1s);
  deadlines.progressed(kNow + 900ms);
  EXPECT_EQ(deadlines.exceeded(kNow + 1899ms), std::nullopt);
  EXPECT_EQ(deadlines.exceeded(kNow + 1900ms), LimitKind::kHeartbeat);
  EXPECT_EQ(deadlines.exceeded(kNow + 5s), LimitKind::kRun);
}

TEST(Deadlines, ALaterAttemptDoesNotWaitInAQueue) {
  Deadlines deadlines(limits(1000, 0, 0, 0), kSubmitted, kSubmitted + 1h, kNow);
  EXPECT_EQ(deadlines.exceeded(kNow), LimitKind::kQueue);
  deadlines.left_queue();
  EXPECT_EQ(deadlines.exceeded(kNow + 24h), std::nullopt);
}

TEST(Deadlines, SaysWhatEachLimitAllows) {
  const Deadlines deadlines(limits(1, 2, 3, 4), kSubmitted, kSubmitted, kNow);
  EXPECT_EQ(deadlines.allowed(LimitKind::kQueue), 1ms);
  EXPECT_EQ(deadlines.allowed(LimitKind::kRun), 2ms);
  EXPECT_EQ(deadlines.allowed(LimitKind::kTotal), 3ms);
  EXPECT_EQ(deadlines.allowed(LimitKind::kHeartbeat), 4ms);
  EXPECT_EQ(limit_name(LimitKind::kHeartbeat), "heartbeat");
}

}  // namespace
}  // namespace toolway::workers::log
