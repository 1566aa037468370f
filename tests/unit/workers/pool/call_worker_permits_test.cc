// Limits on running calls: what waits while others run, and whose permit is free again.
#include <thread>

#include "extensions/limits/bucket_key.h"
#include "extensions/reader/stored_policy.h"
#include "tests/support/write_entry.h"
#include "tests/unit/workers/worker_bench.h"

namespace toolway::workers::pool {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kOneAtOnce =
    "rules:\n  - {name: one, tools: 'test.tool', limit: {running: 1}}\n";

/// The bus keeps its own time: what is given back for 200 ms comes back 200 ms later.
class CallWorkerPermits : public test::WorkerBench {
 protected:
  void put(const std::string& text) {
    toolway::test::write_entry(
        *memory_, proto::kPoliciesBucket, std::string(extensions::reader::kPolicyKey),
        extensions::reader::encode(
            {.number = ++number_, .by = "ann", .at = "2026-01-01T00:00:00Z", .text = text}));
  }
  /// Lets time pass, the worker's with the real one, until `fact` holds.
  template <typename Fact>
  bool comes(CallWorker& worker, Fact fact) {
    const auto deadline = std::chrono::steady_clock::now() + toolway::test::kPatience;
    while (!fact() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(milliseconds(10));
      pass(worker, milliseconds(10));
    }
    return fact();
  }
  double busy() const { return metrics_->counter(monitoring::kToolBusy, "limit", "one").value(); }
  double held_permits() const {
    return metrics_->gauge(monitoring::kPermitsHeld, "limit", "one").value();
  }
  std::vector<bus::Entry> permits() {
    bus::KeyValue bucket(*memory_, std::string(proto::kPermitsBucket));
    toolway::test::Awaited<Result<std::vector<bus::Entry>>> listed;
    bucket.list(listed.callback());
    return **listed.next();
  }
  /// A second for the worker alone.
  void second(CallWorker& worker) {
    memory_->quiesce();
    pass(worker, seconds(1));
    memory_->quiesce();
  }

  std::uint64_t number_ = 0;
};

TEST_F(CallWorkerPermits, OneOfTwoWorkersRunsItAndTheOtherCallWaits) {
  put(kOneAtOnce);
  test::Signal running, go, other_runs, other_may;
  other_may.give();
  auto first = worker(test::registry_of({.idempotent = false}, test::waits(running, go)),
                      {.worker_id = "first", .slots = 1});
  submit(call());
  EXPECT_TRUE(comes(*first, [&] { return running.given(); }));
  EXPECT_TRUE(event().has_started());
  auto other = worker(test::registry_of({.idempotent = false}, test::waits(other_runs, other_may)),
                      {.worker_id = "other"});
  second(*other);
  const auto waiting = call();
  submit(waiting);
  EXPECT_TRUE(comes(*other, [&] { return busy() >= 3; }));
  EXPECT_FALSE(other_runs.given());
  EXPECT_FALSE(last_event(waiting)) << "it costs no attempt and no event";
  EXPECT_EQ(held_permits(), 1);
  go.give();
  EXPECT_EQ(completed().attempt(), 1U);
  const auto end = completed();
  EXPECT_EQ(end.call_id(), waiting.call_id());
  EXPECT_EQ(end.attempt(), 1U);
  EXPECT_TRUE(comes(*other, [&] { return held_permits() == 0; }));
  expect_all_acked();
  ASSERT_EQ(permits().size(), 1U);
  EXPECT_EQ(permits().front().value, "") << "given back";
}

/// Counts what is said to and asked of the bucket.
class PermitsBus final : public toolway::test::ForwardingBus {
 public:
  using ForwardingBus::ForwardingBus;
  void publish(bus::Publication publication, bus::PublishHandler handler) override {
    if (publication.subject.starts_with("$KV.permits")) {
      ++said;
      if (away) return handler(fail(ErrorCode::kBusUnavailable, "no stream"));
      if (held_back) return;
    }
    inner().publish(std::move(publication), std::move(handler));
  }
  Result<std::unique_ptr<bus::Subscription>> follow(std::string filter,
                                                    bus::LiveHandler handler) override {
    if (filter.starts_with("bucket.permits")) ++said;
    return inner().follow(std::move(filter), std::move(handler));
  }
  void stream_state(std::string_view stream,
                    std::function<void(Result<bus::StreamState>)> handler) override {
    if (stream == proto::kPermitsStream) ++said;
    inner().stream_state(stream, std::move(handler));
  }
  std::atomic<int> said{0};
  std::atomic<bool> away{false};
  std::atomic<bool> held_back{false};  ///< what is written gets lost
};

class CallWorkerPermitsBus : public CallWorkerPermits {
 protected:
  std::unique_ptr<CallWorker> on_it(test::Body body, test::Traits traits = {}) {
    auto started = CallWorker::start(
        permits_bus_, *metrics_, test::registry_of(traits, std::move(body)), clock_,
        {.worker_id = "w", .settle_after_gap = milliseconds(0)}, TimePasses::kWhenTold);
    EXPECT_TRUE(started);
    return std::move(*started);
  }
  PermitsBus permits_bus_{*memory_};
};

TEST_F(CallWorkerPermitsBus, ACallThatNoRuleNamesAsksAndSaysNothing) {
  put("rules:\n  - {name: some, tools: 'test.tool', limit: {rate: 1/s}}\n");
  auto worker = on_it(test::returns(1));
  submit(call());
  EXPECT_TRUE(completed().has_completed());
  for (int i = 0; i < 5; ++i) second(*worker);
  EXPECT_EQ(permits_bus_.said, 0) << "no rule limits what runs";
  put("rules:\n  - {name: one, tools: 'other.tool', limit: {running: 1}}\n");
  for (int i = 0; i < 5; ++i) second(*worker);
  const int before = permits_bus_.said;
  submit(call());
  EXPECT_TRUE(completed().has_completed());
  memory_->quiesce();
  EXPECT_EQ(permits_bus_.said, before);
}

TEST_F(CallWorkerPermitsBus, ACallUnderALimitWritesTwice) {
  put(kOneAtOnce);
  auto worker = on_it(test::returns(1));
  submit(call());
  EXPECT_TRUE(comes(*worker, [&] { return stored_events() == 1; }));
  EXPECT_TRUE(completed().has_completed());
  memory_->quiesce();
  const int before = permits_bus_.said;
  submit(call());
  EXPECT_TRUE(completed().has_completed());
  memory_->quiesce();
  EXPECT_EQ(permits_bus_.said - before, 2) << "its permit is taken, and given back";
}

TEST_F(CallWorkerPermitsBus, WithoutTheBucketCallsWaitUnlessThePolicyLetsThemRun) {
  put(kOneAtOnce);
  permits_bus_.away = true;
  auto worker = on_it(test::returns(1));
  submit(call());
  EXPECT_TRUE(comes(*worker, [&] {
    return metrics_
               ->counter(monitoring::kExtensionDecisions,
                         {{"extension", "limits"}, {"decision", "failed"}})
               .value() >= 2;
  }));
  EXPECT_EQ(stored_events(), 0U);
  put(std::string("extensions: {limits: {on_failure: open}}\n") + kOneAtOnce);
  EXPECT_TRUE(completed().has_completed());
}

TEST_F(CallWorkerPermitsBus, APermitIsRenewedAndALostOneStopsTheTool) {
  put(kOneAtOnce);
  test::Signal running, asked;
  auto worker = on_it([running, asked](const Json&, tools::model::ToolContext& context,
                                       tools::model::Progress&) -> tools::model::Execution {
    const std::stop_callback on_stop(context.cancellation(), [&] { asked.give(); });
    running.give();
    EXPECT_TRUE(asked.wait());
    return Json(1);
  });
  submit(call());
  EXPECT_TRUE(comes(*worker, [&] { return running.given(); }));
  const auto taken = permits().front().revision;
  for (int i = 0; i < 40; ++i) second(*worker);
  const auto renewed = permits().front().revision;
  EXPECT_GE(renewed, taken + 3) << "every 10 s";
  EXPECT_FALSE(asked.given());
  permits_bus_.held_back = true;
  for (int i = 0; i < 25 && !asked.given(); ++i) second(*worker);
  EXPECT_TRUE(asked.given()) << "another call may run in its place 10 s later";
  EXPECT_EQ(permits().front().revision, renewed);
}

TEST_F(CallWorkerPermitsBus, AToolWhosePermitAnotherWorkerHasIsStopped) {
  put(kOneAtOnce);
  test::Signal running, asked;
  auto worker = on_it(test::obeys(running, asked));
  submit(call());
  EXPECT_TRUE(comes(*worker, [&] { return running.given(); }));
  toolway::test::write_entry(*memory_, proto::kPermitsBucket, permits().front().key, "other call");
  for (int i = 0; i < 12 && !asked.given(); ++i) second(*worker);
  EXPECT_TRUE(asked.given());
  EXPECT_EQ(permits().front().value, "other call");
}

TEST_F(CallWorkerPermits, OfADeadWorkerIsFreeAfterHalfAMinute) {
  put(kOneAtOnce);
  const auto request = call();
  // As a worker wrote it that was killed then.
  extensions::limits::BucketKey key({.name = "one", .rate = {}, .per = {}});
  key.add("test.tool");
  toolway::test::write_entry(*memory_, proto::kPermitsBucket, key.text() + "-0", "dead call");
  auto worker = this->worker(test::registry_of({}, test::returns(1)), {.worker_id = "w"});
  submit(request);
  for (int i = 0; i < 30; ++i) {
    second(*worker);
    ASSERT_EQ(stored_events(), 0U) << "after " << i << " s";
  }
  EXPECT_TRUE(comes(*worker, [&] { return stored_events() == 1; }));
  EXPECT_EQ(completed().attempt(), 1U);
}

TEST_F(CallWorkerPermits, TwoLimitsAreTakenTogetherOrNotAtAll) {
  put("rules:\n"
      "  - {name: wide, limit: {running: 5, per: all}}\n"
      "  - {name: one, tools: 'test.tool', limit: {running: 1}}\n");
  extensions::limits::BucketKey key({.name = "one", .rate = {}, .per = {}});
  key.add("test.tool");
  toolway::test::write_entry(*memory_, proto::kPermitsBucket, key.text() + "-0", "other call");
  auto worker = this->worker(test::registry_of({}, test::returns(1)), {.worker_id = "w"});
  submit(call());
  EXPECT_TRUE(comes(*worker, [&] { return busy() >= 2; }));
  EXPECT_EQ(metrics_->gauge(monitoring::kPermitsHeld, "limit", "wide").value(), 0);
  toolway::test::write_entry(*memory_, proto::kPermitsBucket, key.text() + "-0", "");
  EXPECT_TRUE(completed().has_completed());
  EXPECT_TRUE(comes(*worker, [&] { return held_permits() == 0; }));
  memory_->quiesce();
  for (const auto& entry : permits()) EXPECT_EQ(entry.value, "") << entry.key;
}

TEST_F(CallWorkerPermits, ABusyCallStillTimesOut) {
  put(kOneAtOnce);
  test::Signal running, go;
  auto worker = this->worker(test::registry_of({}, test::waits(running, go)), {.worker_id = "w"});
  submit(call());
  EXPECT_TRUE(comes(*worker, [&] { return running.given(); }));
  auto late = call();
  late.mutable_limits()->set_queue_ms(5000);
  submit(late);
  for (int i = 0; i < 5; ++i) second(*worker);
  EXPECT_TRUE(comes(*worker, [&] { return last_event(late).has_value(); }));
  EXPECT_EQ(last_event(late)->second.completed().outcome(), v1::OUTCOME_TIMED_OUT);
  EXPECT_EQ(held_permits(), 1);
  go.give();
  EXPECT_TRUE(comes(*worker, [&] { return held_permits() == 0; }));
}

}  // namespace
}  // namespace toolway::workers::pool
