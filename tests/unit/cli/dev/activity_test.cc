#include "cli/dev/activity.h"

#include <gtest/gtest.h>

namespace toolway::cli::dev {
namespace {

constexpr std::int64_t kNow = 1'769'860'800'000'000;  // 2026-01-31T12:00:00Z

v1::CallEvent event_of(const std::string& id) {
  v1::CallEvent event;
  event.set_call_id(id);
  event.mutable_labels()->set_namespace_("bench");
  event.mutable_labels()->set_tool("work");
  event.set_submitted_at_us(kNow - 2'000'000);
  event.set_time_us(kNow);
  return event;
}

v1::CallEvent started(const std::string& id, std::int64_t at = kNow) {
  auto event = event_of(id);
  event.set_time_us(at);
  event.mutable_started()->set_started_at_us(at);
  return event;
}

v1::CallEvent completed(const std::string& id, v1::Outcome outcome) {
  auto event = event_of(id);
  event.mutable_completed()->set_outcome(outcome);
  event.mutable_completed()->set_started_at_us(kNow - 12'000);
  return event;
}

const terminal::Style kPlain(false);

TEST(Activity, ACallThatEndedIsALine) {
  Activity activity;
  EXPECT_FALSE(activity.take(started("01890a5d-ac96-774b-bcce-b302099a8057"), kPlain));
  EXPECT_EQ(activity.take(completed("01890a5d-ac96-774b-bcce-b302099a8057", v1::OUTCOME_SUCCEEDED),
                          kPlain),
            "12:00:00  bench.work succeeded in 12 ms  099a8057");
}

TEST(Activity, AFailureSaysWhy) {
  auto failed = completed("01890a5d-ac96-774b-bcce-b302099a8057", v1::OUTCOME_FAILED);
  failed.mutable_completed()->mutable_error()->set_code("tool_failed");
  failed.mutable_completed()->mutable_error()->set_message("no\nsuch file");
  EXPECT_EQ(Activity().take(failed, kPlain),
            "12:00:00  bench.work failed in 12 ms: tool_failed: no such file  099a8057");
  failed.mutable_completed()->set_started_at_us(0);
  EXPECT_EQ(Activity().take(failed, kPlain)->find("12:00:00  bench.work failed in 2.0 s"), 0U)
      << "a call that never started took the time since it was submitted";
}

TEST(Activity, KnowsWhatRuns) {
  Activity activity;
  const auto now = from_unix_us(kNow + 12'000'000);
  EXPECT_EQ(activity.running(now), "");
  activity.take(started("a"), kPlain);
  EXPECT_EQ(activity.running(now), "1 call (bench.work, 12 s)");
  activity.take(started("b", kNow - 60'000'000), kPlain);
  activity.take(started("a"), kPlain);
  EXPECT_EQ(activity.running(now), "2 calls (the oldest: bench.work, 1 min 12 s)");
  activity.take(completed("b", v1::OUTCOME_SUCCEEDED), kPlain);
  EXPECT_EQ(activity.running(now), "1 call (bench.work, 12 s)");
  activity.take(completed("a", v1::OUTCOME_CANCELLED), kPlain);
  EXPECT_EQ(activity.running(now), "");
}

}  // namespace
}  // namespace toolway::cli::dev
