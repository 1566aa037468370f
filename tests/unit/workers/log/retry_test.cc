#include "workers/log/retry.h"

#include <gtest/gtest.h>

#include "tools/builtin/turn_spec.h"
#include "workers/log/completion.h"

namespace toolway::workers::log {
namespace {

using std::chrono::milliseconds;

const tools::model::RetryPolicy kPolicy{.max_attempts = 4,
                                        .initial_delay = milliseconds(1000),
                                        .factor = 3,
                                        .max_delay = milliseconds(5000)};

tools::model::RetryPolicy listing(std::string code) {
  auto policy = kPolicy;
  policy.codes = {std::move(code)};
  return policy;
}

v1::Completed failure(std::string_view code, bool retryable = false) {
  auto completed = completion_without_result(v1::OUTCOME_FAILED, code, "went wrong");
  completed.mutable_error()->set_retryable(retryable);
  return completed;
}

TEST(Retry, FollowsAnErrorThatSaysItIsRetryable) {
  const auto worth = failure("busy", true);
  const auto again = retry(kPolicy, {.completed = worth, .idempotent = true});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->after, milliseconds(1000));
  EXPECT_EQ(again->attempts_left, 3U);
  EXPECT_FALSE(retry(kPolicy, {.completed = failure("busy"), .idempotent = true}));
}

TEST(Retry, ATurnOfAConversationWaitsForPostgres) {
  const auto& policy = tools::builtin::turn_spec().retry;
  const auto away = failure("store_unavailable");
  std::chrono::milliseconds waited{0};
  for (unsigned failures = 1; failures < policy.max_attempts; ++failures)
    waited += retry(policy, {.completed = away, .idempotent = true, .failures = failures})->after;
  EXPECT_GE(waited, std::chrono::minutes(4));
  const auto refused = failure("conversation_busy");
  EXPECT_FALSE(retry(policy, {.completed = refused, .idempotent = true}));
}

TEST(Retry, WaitsLongerEachTimeUpToTheMost) {
  const auto worth = failure("busy", true);
  const auto after = [&](unsigned failures) {
    return retry(kPolicy, {.completed = worth, .idempotent = true, .failures = failures})->after;
  };
  EXPECT_EQ(after(1), milliseconds(1000));
  EXPECT_EQ(after(2), milliseconds(3000));
  EXPECT_EQ(after(3), milliseconds(5000));
}

TEST(Retry, EndsWithTheLastOfItsAttempts) {
  const auto worth = failure("busy", true);
  EXPECT_EQ(retry(kPolicy, {.completed = worth, .idempotent = true, .failures = 3})->attempts_left,
            1U);
  EXPECT_FALSE(retry(kPolicy, {.completed = worth, .idempotent = true, .failures = 4}));
  EXPECT_FALSE(retry({}, {.completed = worth, .idempotent = true}));
}

TEST(Retry, ListedCodesAloneCountWhenThereAreAny) {
  EXPECT_TRUE(retry(listing("busy"), {.completed = failure("busy"), .idempotent = true}));
  EXPECT_FALSE(retry(listing("busy"), {.completed = failure("full", true), .idempotent = true}));
}

TEST(Retry, WhatIsNotIdempotentIsRunAgainOnlyForListedCodes) {
  const auto worth = failure("busy", true);
  EXPECT_FALSE(retry(kPolicy, {.completed = worth}));
  EXPECT_TRUE(retry(listing("busy"), {.completed = worth}));
  EXPECT_FALSE(retry(listing("busy"), {.completed = worth, .still_runs = true}));
  EXPECT_TRUE(retry(listing("busy"), {.completed = worth, .idempotent = true, .still_runs = true}));
}

TEST(Retry, LimitsCountOnlyWhenListedAndOnlyThoseOfAnAttempt) {
  const auto over = [](LimitKind kind) { return timed_out(kind, milliseconds(10)); };
  EXPECT_FALSE(retry(kPolicy, {.completed = over(LimitKind::kRun), .idempotent = true}));
  EXPECT_TRUE(retry(listing("run_limit_exceeded"),
                    {.completed = over(LimitKind::kRun), .idempotent = true}));
  EXPECT_TRUE(retry(listing("heartbeat_missed"),
                    {.completed = over(LimitKind::kHeartbeat), .idempotent = true}));
  EXPECT_FALSE(retry(listing("total_limit_exceeded"),
                     {.completed = over(LimitKind::kTotal), .idempotent = true}));
  EXPECT_FALSE(retry(listing("queue_limit_exceeded"),
                     {.completed = over(LimitKind::kQueue), .idempotent = true}));
}

TEST(Retry, OtherOutcomesAreNeverFollowed) {
  EXPECT_FALSE(retry(listing("cancelled"), {.completed = cancelled(), .idempotent = true}));
  EXPECT_FALSE(
      retry(listing("outcome_unknown"), {.completed = unknown_after(1), .idempotent = true}));
}

TEST(Retry, TheErrorsOwnWaitRaisesTheDelayAlsoAboveTheMost) {
  auto worth = failure("busy", true);
  worth.mutable_error()->set_retry_after_ms(7000);
  EXPECT_EQ(retry(kPolicy, {.completed = worth, .idempotent = true})->after, milliseconds(7000));
  worth.mutable_error()->set_retry_after_ms(10);
  EXPECT_EQ(retry(kPolicy, {.completed = worth, .idempotent = true})->after, milliseconds(1000));
  worth.mutable_error()->set_retry_after_ms(UINT64_MAX);
  EXPECT_EQ(retry(kPolicy, {.completed = worth, .idempotent = true})->after,
            std::chrono::hours(24));
}

TEST(Retry, JitterTakesAtMostATenth) {
  const auto worth = failure("busy", true);
  EXPECT_EQ(retry(kPolicy, {.completed = worth, .idempotent = true, .jitter = 1})->after,
            milliseconds(900));
  EXPECT_EQ(jitter_of("a", 1), jitter_of("a", 1));
  EXPECT_NE(jitter_of("a", 1), jitter_of("a", 2));
  for (unsigned attempt = 0; attempt < 100; ++attempt) {
    EXPECT_GE(jitter_of("call", attempt), 0);
    EXPECT_LT(jitter_of("call", attempt), 1);
  }
}

}  // namespace
}  // namespace toolway::workers::log
