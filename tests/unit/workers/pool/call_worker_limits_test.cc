#include "workers/pool/call_worker.h"

#include <thread>

#include "monitoring/metric_names.h"
#include "tests/support/sample_tools.h"
#include "tests/unit/workers/worker_bench.h"

namespace toolway::workers::pool {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Fault = test::FaultyBus::Fault;

class CallWorkerLimits : public test::WorkerBench {};

TEST_F(CallWorkerLimits, ARunningAttemptSaysThatItIsAliveAndExtends) {
  test::Signal running, go;
  auto worker = this->worker(test::registry_of({.idempotent = false}, test::waits(running, go)));
  submit(call());
  EXPECT_TRUE(event().has_started());
  ASSERT_TRUE(running.wait());
  for (unsigned seq = 2; seq < 5; ++seq) {
    pass(*worker, seconds(10));
    const auto alive = event();
    EXPECT_TRUE(alive.has_alive());
    EXPECT_EQ(alive.seq(), seq);
    memory_->quiesce();
  }
  go.give();
  EXPECT_EQ(event().seq(), 5u);
  expect_all_acked();
}

TEST_F(CallWorkerLimits, EndsAnAttemptThatItCouldNotExtend) {
  test::Signal running;
  auto worker = this->worker(test::registry_of(
      {},
      [&](const Json&, tools::model::ToolContext& context,
          tools::model::Progress&) -> tools::model::Execution {
        running.give();
        test::Signal stopped;
        const std::stop_callback on_stop(context.cancellation(), [&] { stopped.give(); });
        EXPECT_TRUE(stopped.wait());
        return Json(1);
      }));
  submit(call());
  ASSERT_TRUE(running.wait());
  memory_->disconnect();
  for (int i = 0; i < 21; ++i) pass(*worker, seconds(1));
  EXPECT_EQ(worker->held(), 0u);
  worker.reset();
  memory_->reconnect();
  EXPECT_EQ(stored_events(), 0u);
}

TEST_F(CallWorkerLimits, AToolOverItsRunLimitIsStoppedAndTimesOut) {
  auto request = call("reports_then_hangs", "sample");
  request.mutable_limits()->set_run_ms(500);
  auto worker = this->worker(tools::samples::sample_registry());
  submit(request);
  EXPECT_TRUE(event().has_started());
  EXPECT_TRUE(event().has_progress());
  pass(*worker, milliseconds(499));
  pass(*worker, milliseconds(1));
  const auto end = completed();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_TIMED_OUT);
  EXPECT_EQ(end.completed().error().code(), "run_limit_exceeded");
  expect_all_acked();
}

TEST_F(CallWorkerLimits, AToolThatMissesItsHeartbeatTimesOut) {
  auto request = call("reports_then_hangs", "sample");
  request.mutable_limits()->set_heartbeat_ms(300);
  auto worker = this->worker(tools::samples::sample_registry());
  submit(request);
  EXPECT_TRUE(event().has_started());
  EXPECT_TRUE(event().has_progress());
  pass(*worker, milliseconds(300));
  EXPECT_EQ(completed().completed().error().code(), "heartbeat_missed");
}

TEST_F(CallWorkerLimits, AToolThatKeepsReportingIsNeverCutByItsHeartbeat) {
  auto request = call();
  request.mutable_limits()->set_heartbeat_ms(300);
  struct Step {
    test::Signal go;
    test::Signal reported;
  };
  std::vector<Step> each(10);
  auto worker = this->worker(
      test::registry_of({.multi_step = true},
                        [each](const Json&, tools::model::ToolContext& context,
                               tools::model::Progress& progress) -> tools::model::Execution {
                          for (std::size_t i = 0; i < each.size(); ++i) {
                            EXPECT_TRUE(each[i].go.wait());
                            progress.report({.progress = static_cast<double>(i)});
                            each[i].reported.give();
                          }
                          EXPECT_FALSE(context.cancellation().stop_requested());
                          return Json("all");
                        }));
  submit(request);
  EXPECT_TRUE(event().has_started());
  for (auto& step : each) {
    pass(*worker, milliseconds(299));
    step.go.give();
    ASSERT_TRUE(step.reported.wait());
    memory_->quiesce();
  }
  EXPECT_EQ(completed().completed().result(), "\"all\"");
  expect_all_acked();
}

TEST_F(CallWorkerLimits, ACallOverItsTotalLimitIsStoppedAndSaysSo) {
  auto request = call();
  request.mutable_limits()->set_total_ms(500);
  test::Signal running;
  auto worker = this->worker(test::registry_of({.idempotent = false}, test::obeys(running)));
  submit(request);
  ASSERT_TRUE(running.wait());
  pass(*worker, milliseconds(500));
  const auto end = completed();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_TIMED_OUT);
  EXPECT_EQ(end.completed().error().code(), "total_limit_exceeded");
  EXPECT_EQ(end.completed().stop(), v1::STOP_COOPERATIVE);
  expect_all_acked();
}

TEST_F(CallWorkerLimits, ACallOverItsQueueLimitNeverRuns) {
  auto request = call();
  request.mutable_limits()->set_queue_ms(100);
  clock_.advance(milliseconds(101));
  std::atomic<int> runs{0};
  auto worker =
      this->worker(test::registry_of({},
                                     [&](const Json&, tools::model::ToolContext&,
                                         tools::model::Progress&) -> tools::model::Execution {
                                       ++runs;
                                       return Json(1);
                                     }));
  submit(request);
  const auto end = completed();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_TIMED_OUT);
  EXPECT_EQ(end.completed().error().code(), "queue_limit_exceeded");
  EXPECT_EQ(end.completed().error().details(), R"({"limit":"queue","limit_ms":100})");
  EXPECT_EQ(end.completed().started_at_us(), 0);
  EXPECT_EQ(end.seq(), 1u);
  EXPECT_EQ(runs, 0);
  const auto& errors = metrics_->counter(
      monitoring::kAttemptErrors,
      {{"tool", "test.tool"}, {"pool", "native"}, {"code", "queue_limit_exceeded"}});
  EXPECT_EQ(errors.value(), 1);
}

TEST_F(CallWorkerLimits, AToolThatDoesNotStopLosesItsThreadAndTheWorkerIsUnhealthy) {
  test::Signal running, go;
  toolway::test::Awaited<std::string> unhealthy;
  WorkerOptions options{.slots = 2};
  options.on_unhealthy = unhealthy.callback();
  auto worker = this->worker(test::registry_of({}, test::waits(running, go)), options);
  auto request = call();
  request.mutable_limits()->set_run_ms(500);
  submit(request);
  ASSERT_TRUE(running.wait());
  pass(*worker, milliseconds(500));
  EXPECT_TRUE(event().has_started());
  memory_->quiesce();
  pass(*worker, seconds(2));
  EXPECT_EQ(completed().completed().outcome(), v1::OUTCOME_TIMED_OUT);
  EXPECT_TRUE(unhealthy.next());
  expect_all_acked();
  EXPECT_EQ(worker->held(), 0u);
  EXPECT_EQ(metrics_->gauge(monitoring::kAbandoned, "pool", "native").value(), 1);
  go.give();
}

TEST_F(CallWorkerLimits, ErrorsOfToolsBecomeOutcomesThatSayWhatWasWrong) {
  auto worker = this->worker(tools::samples::sample_registry());
  const auto error_of = [&](const std::string& tool) {
    submit(call(tool, "sample"));
    const auto end = completed();
    EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_FAILED) << tool;
    EXPECT_TRUE(end.completed().result().empty());
    return end.completed().error();
  };
  EXPECT_EQ(error_of("throws").code(), "tool_threw");
  EXPECT_EQ(error_of("not_utf8").code(), "invalid_result");
  EXPECT_EQ(error_of("no_such_tool").code(), "unknown_tool");
  const auto own = error_of("fails_its_way");
  EXPECT_EQ(own.code(), "quota_exceeded");
  EXPECT_TRUE(own.retryable());
  EXPECT_EQ(own.retry_after_ms(), 1500u);
  EXPECT_EQ(own.details(), R"({"limit":100,"used":100})");
  auto invalid = call("ignores_cancellation", "sample");
  invalid.set_arguments(R"({"ms": "soon"})");
  submit(invalid);
  EXPECT_EQ(completed().completed().error().code(), "invalid_arguments");
  expect_all_acked();
}

TEST_F(CallWorkerLimits, MergesProgressWithoutLosingItsDataOrANumber) {
  constexpr int kReports = 1000;
  auto worker = this->worker(test::registry_of(
      {.multi_step = true},
      [](const Json&, tools::model::ToolContext&,
         tools::model::Progress& progress) -> tools::model::Execution {
        for (int i = 0; i < kReports; ++i) {
          progress.report({.progress = i + 1.0, .total = kReports, .data = Json::array({i})});
        }
        return Json(1);
      }));
  submit(call());
  std::uint32_t seq = 0;
  int stands_for = 0;
  int next = 0;
  for (;;) {
    const auto event = this->event();
    EXPECT_EQ(event.seq(), ++seq);
    if (event.has_progress()) {
      stands_for += 1 + static_cast<int>(event.progress().merged());
      for (const auto& item : Json::parse(event.progress().data())) EXPECT_EQ(item, next++);
    }
    if (event.has_completed() || event.call_id().empty()) break;
  }
  EXPECT_EQ(stands_for, kReports);
  EXPECT_EQ(next, kReports);
  EXPECT_LT(seq, 40u);
  expect_all_acked();
}

TEST_F(CallWorkerLimits, NeverHoldsMoreThanItsSlots) {
  constexpr std::size_t kSlots = 4;
  test::Signal go;
  toolway::test::Awaited<int> entered;
  std::atomic<std::size_t> inside{0}, most{0};
  auto note = entered.callback();
  auto worker =
      this->worker(test::registry_of({},
                                     [&](const Json&, tools::model::ToolContext&,
                                         tools::model::Progress&) -> tools::model::Execution {
                                       const std::size_t now = ++inside;
                                       for (std::size_t seen = most;
                                            now > seen && !most.compare_exchange_weak(seen, now);) {
                                       }
                                       note(1);
                                       EXPECT_TRUE(go.wait());
                                       --inside;
                                       return Json(1);
                                     }),
                   {.slots = kSlots});
  for (int i = 0; i < 20; ++i) submit(call());
  memory_->quiesce();
  EXPECT_EQ(worker->held(), kSlots);
  // A thread is added each time the head of the queue has waited too long.
  ASSERT_TRUE(entered.next());
  for (std::size_t i = 1; i < kSlots; ++i) {
    pass(*worker, milliseconds(2));
    ASSERT_TRUE(entered.next());
  }
  EXPECT_EQ(worker->threads(), kSlots);
  go.give();
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(completed().has_completed());
  EXPECT_EQ(most, kSlots);
  expect_all_acked();
}

TEST_F(CallWorkerLimits, AMessageThatIsNotACallIsSetAside) {
  auto worker = this->worker(test::registry_of({}, test::returns(1)));
  memory_->publish({.subject = "call.native.normal.0.x", .payload = "\xff\xff"}, [](auto) {});
  submit(call());
  EXPECT_TRUE(completed().has_completed());
  expect_all_acked();
}

}  // namespace
}  // namespace toolway::workers::pool
