#include "gateway/calls/call_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace toolway::gateway::calls {
namespace {

using namespace std::chrono_literals;

const WallTime kSubmitted = from_unix_us(1'800'000'000'000'000);

persistence::store::RecordedCall submitted() {
  persistence::store::RecordedCall call;
  call.arguments = "{}";
  call.submitted_at = kSubmitted;
  return call;
}

void end(persistence::store::RecordedCall& call, WallTime at) {
  call.completion.emplace();
  call.completion->set_time_us(to_unix_us(at));
  call.completion->mutable_completed()->set_outcome(v1::OUTCOME_FAILED);
}

TEST(CallJson, SaysHowLongACallWaitedAndRan) {
  auto call = submitted();
  EXPECT_EQ(call_times(call).waited, std::nullopt) << "it waits";
  call.started_at = kSubmitted + 1500us;
  EXPECT_EQ(call_times(call).waited, 1500us);
  EXPECT_EQ(call_times(call).ran, std::nullopt) << "it runs";
  end(call, kSubmitted + 21'500us);
  EXPECT_EQ(call_times(call).waited, 1500us);
  EXPECT_EQ(call_times(call).ran, 20ms);
  const auto json = nlohmann::json::parse(call_json(call, CallForm::kGet));
  EXPECT_EQ(json["waited_ms"], 1.5);
  EXPECT_EQ(json["ran_ms"], 20);
  EXPECT_FALSE(nlohmann::json::parse(call_json(call, CallForm::kWaited)).contains("ran_ms"));
}

TEST(CallJson, OfACallThatEndedWithoutAStartSaysOnlyHowLongItWaited) {
  auto call = submitted();
  end(call, kSubmitted + 3s);
  const auto json = nlohmann::json::parse(call_json(call, CallForm::kGet));
  EXPECT_EQ(json["waited_ms"], 3000);
  EXPECT_TRUE(json["ran_ms"].is_null());
}

TEST(CallJson, ShowsNoTimeBelowZeroWhenClocksDiffer) {
  auto call = submitted();
  call.started_at = kSubmitted - 2ms;
  const auto json = nlohmann::json::parse(call_json(call, CallForm::kGet));
  EXPECT_EQ(json["waited_ms"], 0);
}

}  // namespace
}  // namespace toolway::gateway::calls
