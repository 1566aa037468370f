// A worker that has no memory for what a call needs next: it stays up, and the call comes again.
#include <atomic>
#include <new>
#include <thread>

#include "tests/unit/workers/worker_bench.h"

namespace toolway::workers::pool {
namespace {

using test::FaultyBus;

/// Has no memory for the first call's spans.
class ScarceTracer final : public monitoring::Tracer {
 public:
  TraceContext start(const TraceContext& parent) override { return parent; }
  void end(monitoring::Span) override {}
  bool records() const override {
    if (!thrown_.exchange(true)) throw std::bad_alloc();
    return false;
  }

 private:
  mutable std::atomic<bool> thrown_{false};
};

class CallWorkerMemory : public test::WorkerBench {
 protected:
  static bool holds_nothing(const CallWorker& worker) {
    const auto until = std::chrono::steady_clock::now() + toolway::test::kPatience;
    while (worker.held() > 0 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    return worker.held() == 0;
  }
  void expect_success() {
    EXPECT_EQ(completed().completed().outcome(), v1::OUTCOME_SUCCEEDED);
    expect_all_acked();
  }
};

TEST_F(CallWorkerMemory, ACallThatCannotBeHeldComesAgain) {
  const auto worker = this->worker(test::registry_of({}, test::returns("ran")),
                                   {.slots = 1, .tracer = std::make_shared<ScarceTracer>()});
  auto request = call();
  request.mutable_trace()->set_traceparent(TraceContext::root(true).traceparent());
  submit(request);
  expect_success();  // after a second
  EXPECT_TRUE(holds_nothing(*worker));
}

TEST_F(CallWorkerMemory, ACallWithoutMemoryForItsNextEventIsLetGoAndComesAgain) {
  const auto worker = this->worker(test::registry_of({}, test::returns("ran")), {.slots = 1});
  for (int i = 0; i < 2; ++i) {
    bus_.spoil({FaultyBus::Fault::kNoMemory});
    submit(call());
    ASSERT_TRUE(bus_.spoiled.next());
    ASSERT_TRUE(holds_nothing(*worker)) << "its slot is free again";
    memory_->quiesce();
    memory_->expire_deliveries();
    expect_success();
  }
}

TEST_F(CallWorkerMemory, ACallWithoutMemoryToFetchItsSpecComesAgain) {
  const auto worker = this->worker(test::registry_of({}, test::returns("ran")), {.slots = 1});
  auto request = call("unknown");
  request.set_spec_digest("sha256:" + std::string(64, 'a'));
  bus_.throw_at_next_read();
  submit(request);
  memory_->quiesce();
  EXPECT_TRUE(holds_nothing(*worker));
  memory_->expire_deliveries();
  EXPECT_EQ(completed().completed().error().code(), "spec_unavailable");
  expect_all_acked();
}

TEST_F(CallWorkerMemory, WhatIsDueWithoutMemoryIsDueAgain) {
  struct Scarce final : threads::Timed {
    void on_time(MonotonicTime) override {
      if (++tried == 1) throw std::bad_alloc();
    }
    bool over() const override { return false; }
    int tried = 0;
  };
  threads::Timer timer(clock_);
  const auto scarce = std::make_shared<Scarce>();
  timer.schedule(clock_.monotonic(), scarce);
  timer.fire();
  EXPECT_EQ(scarce->tried, 1);
  clock_.advance(std::chrono::seconds(1));
  timer.fire();
  EXPECT_EQ(scarce->tried, 2);
}

}  // namespace
}  // namespace toolway::workers::pool
