#include "tests/support/sample_tools.h"
#include "tests/unit/workers/worker_bench.h"

namespace toolway::workers::pool {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class CallWorkerDrain : public test::WorkerBench {};

TEST_F(CallWorkerDrain, ADrainGivesBackWhatHasNotStartedAndWaitsForWhatRuns) {
  test::Signal running, go;
  auto worker = this->worker(test::registry_of({}, test::waits(running, go)), {.slots = 2});
  submit(call());
  ASSERT_TRUE(running.wait());
  submit(call());  // waits for a thread
  memory_->quiesce();
  ASSERT_EQ(worker->held(), 2u);
  auto drained = std::async(std::launch::async, [&] { worker->drain(); });
  auto other = this->worker(test::registry_of({}, test::returns("other")));
  EXPECT_EQ(completed().completed().result(), "\"other\"");
  go.give();
  EXPECT_EQ(completed().completed().result(), "\"waited\"");
  ASSERT_EQ(drained.wait_for(toolway::test::kPatience), std::future_status::ready);
  expect_all_acked();
}

TEST_F(CallWorkerDrain, ADrainThatTakesTooLongStopsIdempotentToolsAndGivesThemBack) {
  auto worker =
      this->worker(tools::samples::sample_registry(), {.slots = 2, .drain_timeout = seconds(30)});
  submit(call("reports_then_hangs", "sample"));
  EXPECT_TRUE(event().has_started());
  EXPECT_TRUE(event().has_progress());
  auto drained = std::async(std::launch::async, [&] { worker->drain(); });
  while (drained.wait_for(milliseconds(0)) != std::future_status::ready) pass(*worker, seconds(1));
  drained.get();
  EXPECT_EQ(worker->held(), 0u);
  auto other = this->worker(tools::samples::sample_registry());
  auto again = event();
  while (again.has_alive()) again = event();  // of the first attempt, while it was waited for
  EXPECT_TRUE(again.has_started());
  EXPECT_EQ(again.attempt(), 2u);
}

TEST_F(CallWorkerDrain, AToolLearnsWhetherItsCallRunsAgain) {
  std::atomic<bool> again = false;
  test::Signal running, asked, returns;
  const auto body = [&](const Json& arguments, tools::model::ToolContext& context,
                        tools::model::Progress& progress) -> tools::model::Execution {
    auto result = test::obeys(running, asked)(arguments, context, progress);
    again = context.runs_again();
    returns.give();
    return result;
  };
  auto worker = this->worker(test::registry_of({.multi_step = true}, body),
                             {.worker_id = "w1", .drain_timeout = seconds(30)});
  const auto request = call();
  submit(request);
  EXPECT_TRUE(event().has_started());
  ASSERT_TRUE(running.wait());
  ASSERT_TRUE(cancel(request, "w1"));
  completed();
  EXPECT_FALSE(again) << "cancelled";
  running = {};
  asked = {};
  returns = {};
  submit(call());
  ASSERT_TRUE(running.wait());
  auto drained = std::async(std::launch::async, [&] { worker->drain(); });
  while (drained.wait_for(milliseconds(0)) != std::future_status::ready) pass(*worker, seconds(1));
  ASSERT_TRUE(returns.wait());
  EXPECT_TRUE(again) << "drained";
}

TEST_F(CallWorkerDrain, WhatItGivesBackUnstartedCostsNoAttempt) {
  test::Signal running, go;
  auto worker = this->worker(test::registry_of({}, test::waits(running, go)), {.slots = 2});
  submit(call());
  ASSERT_TRUE(running.wait());
  const auto given_back = call();
  submit(given_back);
  memory_->quiesce();
  auto drained = std::async(std::launch::async, [&] { worker->drain(); });
  auto other = this->worker(test::registry_of(
      {.retry = {.max_attempts = 1}},
      [](const Json&, tools::model::ToolContext& context,
         tools::model::Progress&) -> tools::model::Execution { return Json(context.attempt()); }));
  const auto end = completed();
  EXPECT_EQ(end.call_id(), given_back.call_id());
  EXPECT_EQ(end.attempt(), 1u);
  EXPECT_EQ(end.completed().result(), "1");
  EXPECT_EQ(metrics_->counter(monitoring::kTakeovers).value(), 0);
  go.give();
  completed();
  ASSERT_EQ(drained.wait_for(toolway::test::kPatience), std::future_status::ready);
}

TEST_F(CallWorkerDrain, AToolThatMustNotRunTwiceHasItsSayWhenItIsStopped) {
  test::Signal running, asked;
  auto worker = this->worker(test::registry_of({.idempotent = false}, test::obeys(running, asked)),
                             {.drain_timeout = seconds(30)});
  submit(call());
  ASSERT_TRUE(running.wait());
  auto drained = std::async(std::launch::async, [&] { worker->drain(); });
  while (!asked.given()) pass(*worker, seconds(1));
  const auto end = completed();
  ASSERT_EQ(drained.wait_for(toolway::test::kPatience), std::future_status::ready);
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(end.completed().result(), "\"stopped\"");
  expect_all_acked();
}

TEST_F(CallWorkerDrain, AToolThatMustNotRunTwiceAndWasBrokenOffIsUnknown) {
  test::Signal running, asked;
  auto worker = this->worker(
      test::registry_of(
          {.idempotent = false},
          [running, asked](const Json& arguments, tools::model::ToolContext& context,
                           tools::model::Progress& progress) -> tools::model::Execution {
            (void)test::obeys(running, asked)(arguments, context, progress);
            context.ended_by_force();
            return test::failure("cancelled", false);  // as executors say it
          }),
      {.drain_timeout = seconds(30)});
  submit(call());
  ASSERT_TRUE(running.wait());
  auto drained = std::async(std::launch::async, [&] { worker->drain(); });
  while (!asked.given()) pass(*worker, seconds(1));
  const auto end = completed();
  ASSERT_EQ(drained.wait_for(toolway::test::kPatience), std::future_status::ready);
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_UNKNOWN);
  EXPECT_EQ(end.completed().stop(), v1::STOP_SIGNALLED);
  expect_all_acked();
}

TEST_F(CallWorkerDrain, AToolThatMustNotRunTwiceAndDoesNotReturnIsLeftToTheNextWorker) {
  test::Signal running, go;
  std::atomic<int> runs{0};
  const auto once =
      test::registry_of({.idempotent = false},
                        [&, running, go](const Json&, tools::model::ToolContext&,
                                         tools::model::Progress&) -> tools::model::Execution {
                          ++runs;
                          running.give();
                          EXPECT_TRUE(go.wait());
                          return Json(1);
                        });
  auto worker = this->worker(once, {.worker_id = "old", .drain_timeout = seconds(30)});
  submit(call());
  ASSERT_TRUE(running.wait());
  auto drained = std::async(std::launch::async, [&] { worker->drain(); });
  while (drained.wait_for(milliseconds(0)) != std::future_status::ready) pass(*worker, seconds(1));
  auto next = this->worker(once, {.worker_id = "new"});
  const auto end = completed();
  EXPECT_EQ(end.worker_id(), "new");
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_UNKNOWN);
  go.give();
  worker.reset();
  EXPECT_EQ(runs, 1);
  expect_all_acked();
}

}  // namespace
}  // namespace toolway::workers::pool
