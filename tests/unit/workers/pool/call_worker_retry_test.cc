#include "monitoring/metric_names.h"
#include "tests/unit/workers/worker_bench.h"
#include "workers/log/retry.h"

namespace toolway::workers::pool {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The clock of the worker is the test's, that of the in-memory bus the real one: delays of
/// deliveries are real, and so a few milliseconds long at most.
class CallWorkerRetry : public test::WorkerBench {
 protected:
  static tools::model::RetryPolicy policy(unsigned attempts, milliseconds delay,
                                          std::vector<std::string> codes = {}) {
    return {.max_attempts = attempts,
            .initial_delay = delay,
            .factor = 1,
            .max_delay = delay,
            .codes = std::move(codes)};
  }
  /// As the reaper publishes a call again.
  void publish_again(v1::CallRequest request, unsigned publication) {
    request.set_publication(publication);
    submit(request);
  }
  double retries() {
    return metrics_->counter(monitoring::kRetries, {{"tool", "test.tool"}, {"pool", "native"}})
        .value();
  }
  double attempt_errors(std::string_view code) {
    return metrics_
        ->counter(monitoring::kAttemptErrors,
                  {{"tool", "test.tool"}, {"pool", "native"}, {"code", code}})
        .value();
  }
  void append_retry_at(const v1::CallRequest& request, std::chrono::microseconds from_now) {
    v1::CallEvent event;
    event.set_attempt(1);
    event.set_failures(1);
    event.mutable_retry_at()->set_at_us(to_unix_us(clock_.wall() + from_now));
    append(request, event);
    ASSERT_TRUE(this->event().has_retry_at());
  }
};

/// Fails until its attempt `good`.
test::Body fails_until(unsigned good, std::string code = "busy") {
  return [good, code](const Json&, tools::model::ToolContext& context,
                      tools::model::Progress&) -> tools::model::Execution {
    if (context.attempt() < good) return test::failure(code);
    return Json(context.idempotency_key());
  };
}

/// A server that was killed delivers it as if for the first time: it has left its queue long ago.
TEST_F(CallWorkerRetry, TheQueueLimitIsNotThatOfALaterAttempt) {
  auto request = call();
  request.mutable_limits()->set_queue_ms(1000);
  append_retry_at(request, seconds(0));
  clock_.advance(seconds(2));
  submit(request);
  auto worker =
      this->worker(test::registry_of({.retry = policy(2, milliseconds(0))}, fails_until(2)));
  const auto end = completed();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_SUCCEEDED) << end.completed().error().code();
  EXPECT_EQ(end.attempt(), 2u);
  expect_all_acked();
}

/// A durable that was made again delivers it as if for the first time: its attempt begins before it
/// is known that others have failed.
TEST_F(CallWorkerRetry, FailuresOfOthersCountForAnAttemptThatDidNotKnowOfThem) {
  const auto request = call();
  append_retry_at(request, seconds(0));
  submit(request);
  auto worker =
      this->worker(test::registry_of({.retry = policy(2, milliseconds(0))}, fails_until(9)));
  const auto end = completed();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_FAILED);
  EXPECT_EQ(end.attempt(), 2u);
  expect_all_acked();
}

TEST_F(CallWorkerRetry, RunsAgainUntilItSucceedsAndEveryAttemptIsInTheLog) {
  auto worker =
      this->worker(test::registry_of({.retry = policy(3, milliseconds(0))}, fails_until(3)));
  const auto request = call();
  submit(request);
  for (unsigned attempt = 1; attempt < 3; ++attempt) {
    const auto started = event();
    EXPECT_TRUE(started.has_started());
    EXPECT_EQ(started.attempt(), attempt);
    const auto retry = event();
    ASSERT_TRUE(retry.has_retry_at());
    EXPECT_EQ(retry.attempt(), attempt);
    EXPECT_EQ(retry.failures(), attempt);
    EXPECT_EQ(retry.retry_at().error().code(), "busy");
    EXPECT_EQ(retry.retry_at().attempts_left(), 3 - attempt);
  }
  const auto end = event();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(end.attempt(), 3u);
  EXPECT_EQ(end.seq(), 6u);
  // The key is the same for all attempts.
  EXPECT_EQ(end.completed().result(), '"' + request.call_id() + '"');
  expect_all_acked();
  EXPECT_EQ(retries(), 2);
  EXPECT_EQ(attempt_errors("tool_error"), 2);
}

TEST_F(CallWorkerRetry, EndsAsFailedWithTheLastAttemptsError) {
  auto worker =
      this->worker(test::registry_of({.retry = policy(2, milliseconds(0))}, fails_until(9)));
  submit(call());
  const auto end = completed();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_FAILED);
  EXPECT_EQ(end.completed().error().code(), "busy");
  EXPECT_EQ(end.attempt(), 2u);
  expect_all_acked();
  EXPECT_EQ(retries(), 1) << "the last attempt is followed by none";
  EXPECT_EQ(attempt_errors("tool_error"), 2);
}

TEST_F(CallWorkerRetry, CountsOurOwnCodesByName) {
  auto worker = this->worker(test::registry_of({}, fails_until(9, "invalid_arguments")));
  submit(call());
  EXPECT_EQ(completed().completed().error().code(), "invalid_arguments");
  EXPECT_EQ(attempt_errors("invalid_arguments"), 1);
  EXPECT_EQ(attempt_errors("tool_error"), 0);
  EXPECT_EQ(retries(), 0);
}

TEST_F(CallWorkerRetry, WhatIsNotIdempotentRunsAgainOnlyWhenItsSpecListsTheCode) {
  auto silent = this->worker(test::registry_of(
      {.idempotent = false, .retry = policy(3, milliseconds(0))}, fails_until(2)));
  submit(call());
  EXPECT_EQ(completed().completed().outcome(), v1::OUTCOME_FAILED);
  expect_all_acked();
  silent.reset();
  auto listing = this->worker(test::registry_of(
      {.idempotent = false, .retry = policy(3, milliseconds(0), {"busy"})}, fails_until(2)));
  submit(call());
  const auto end = completed();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(end.attempt(), 2u);
  expect_all_acked();
}

TEST_F(CallWorkerRetry, AcksACallWithALongDelayAndContinuesWhenItIsPublishedAgain) {
  auto worker = this->worker(test::registry_of({.retry = policy(2, seconds(60))}, fails_until(2)));
  const auto request = call();
  submit(request);
  EXPECT_TRUE(event().has_started());
  const auto retry = event();
  ASSERT_TRUE(retry.has_retry_at());
  EXPECT_GE(retry.retry_at().at_us(), to_unix_us(clock_.wall() + seconds(54)));
  EXPECT_LE(retry.retry_at().at_us(), to_unix_us(clock_.wall() + seconds(60)));
  expect_all_acked();
  publish_again(request, 1);  // too early: the worker does not believe it
  expect_all_acked();
  EXPECT_EQ(stored_events(), 2u);
  clock_.advance(seconds(60));
  publish_again(request, 1);
  const auto end = completed();
  EXPECT_EQ(end.attempt(), 2u);
  EXPECT_TRUE(end.completed().merged_start());
  EXPECT_EQ(end.seq(), 4u);
  expect_all_acked();
}

TEST_F(CallWorkerRetry, ADueRetryRunsAlsoWhatIsNotIdempotent) {
  const auto request = call();
  append_retry_at(request, seconds(0));
  auto worker = this->worker(test::registry_of({.idempotent = false}, test::returns(1)));
  publish_again(request, 1);
  EXPECT_TRUE(event().has_started());
  const auto end = completed();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(end.attempt(), 2u);
  expect_all_acked();
}

TEST_F(CallWorkerRetry, AFirstDeliveryThatMeetsARetryFollowsIt) {
  const auto request = call();
  append_retry_at(request, seconds(0));
  auto worker = this->worker(test::registry_of({.idempotent = false}, test::returns(1)));
  submit(request);  // as after a crash of the server: delivery count 1
  const auto end = completed();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(end.attempt(), 2u);
  expect_all_acked();
}

TEST_F(CallWorkerRetry, ATotalLimitThatPassesInTheWaitEndsTheCall) {
  auto request = call();
  request.mutable_limits()->set_total_ms(1000);
  request.mutable_limits()->set_queue_ms(100);
  append_retry_at(request, seconds(60));
  clock_.advance(milliseconds(1000));
  auto worker = this->worker(test::registry_of({}, test::returns(1)));
  publish_again(request, 1);
  const auto end = completed();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_TIMED_OUT);
  EXPECT_EQ(end.completed().error().code(), "total_limit_exceeded");
  EXPECT_EQ(end.attempt(), 1u);
  expect_all_acked();
}

TEST_F(CallWorkerRetry, ARunLimitIsRetriedWhenItsCodeIsListed) {
  test::Signal running;
  auto worker = this->worker(
      test::registry_of({.retry = policy(2, milliseconds(0), {"run_limit_exceeded"})},
                        [running](const Json& arguments, tools::model::ToolContext& context,
                                  tools::model::Progress& progress) -> tools::model::Execution {
                          if (context.attempt() == 1)
                            return test::obeys(running)(arguments, context, progress);
                          return Json("second");
                        }));
  auto request = call();
  request.mutable_limits()->set_run_ms(500);
  submit(request);
  ASSERT_TRUE(running.wait());
  pass(*worker, milliseconds(500));
  EXPECT_TRUE(event().has_started());
  const auto retry = event();
  ASSERT_TRUE(retry.has_retry_at());
  EXPECT_EQ(retry.retry_at().error().code(), "run_limit_exceeded");
  EXPECT_EQ(completed().completed().result(), "\"second\"");
  expect_all_acked();
}

TEST_F(CallWorkerRetry, ACallThatTenWorkersDidNotSurviveIsNotTriedAgain) {
  const auto request = call();
  v1::CallEvent started;
  for (unsigned attempt = 1; attempt <= log::kMaxBrokenAttempts; ++attempt) {
    started.set_attempt(attempt);
    started.mutable_started();
    append(request, started);
    event();
  }
  std::atomic<int> runs{0};
  auto worker =
      this->worker(test::registry_of({},
                                     [&](const Json&, tools::model::ToolContext&,
                                         tools::model::Progress&) -> tools::model::Execution {
                                       ++runs;
                                       return Json(1);
                                     }));
  publish_again(request, 1000);
  const auto end = event();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_FAILED);
  EXPECT_EQ(end.completed().error().code(), "tool_crashed");
  EXPECT_EQ(end.attempt(), log::kMaxBrokenAttempts);
  EXPECT_EQ(runs, 0);
  expect_all_acked();
}

TEST_F(CallWorkerRetry, APublicationIsLookedAtLikeARepeatedDelivery) {
  const auto request = call();
  v1::CallEvent started;
  started.set_attempt(1);
  started.mutable_started();
  append(request, started);
  event();
  auto worker = this->worker(test::registry_of({.idempotent = false}, test::returns(1)));
  publish_again(request, 1001);
  const auto end = event();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_UNKNOWN);
  EXPECT_EQ(end.attempt(), 1u);
  expect_all_acked();
}

}  // namespace
}  // namespace toolway::workers::pool
