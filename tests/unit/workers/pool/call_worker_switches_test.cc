#include "bus/key_value.h"
#include "tests/unit/workers/worker_bench.h"

namespace toolway::workers::pool {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Keeps the question about a bucket's stream, until it is let go.
class LateBus final : public toolway::test::ForwardingBus {
 public:
  using ForwardingBus::ForwardingBus;
  void stream_state(std::string_view stream,
                    std::function<void(Result<bus::StreamState>)> handler) override {
    if (late && stream == kept) {
      handler(fail(ErrorCode::kTimeout, "of a test"));
    } else {
      inner().stream_state(stream, std::move(handler));
    }
  }
  std::atomic<bool> late{true};
  std::string kept{proto::kSwitchesStream};
};

/// Lets a word about the switches be heard while a queue is being pulled from for the first time.
class HeardMeanwhile final : public toolway::test::ForwardingBus {
 public:
  HeardMeanwhile(bus::Bus& inner, std::function<void()> say)
      : ForwardingBus(inner), say_(std::move(say)) {}
  std::unique_ptr<bus::PullConsumer> pull(bus::Durable durable,
                                          bus::DeliveryHandler handler) override {
    say_();
    return inner().pull(std::move(durable), std::move(handler));
  }

 private:
  const std::function<void()> say_;
};

class CallWorkerSwitches : public test::WorkerBench {
 protected:
  void turn(const std::string& key, const std::string& value) {
    bus::KeyValue bucket(*memory_, "switches");
    toolway::test::Awaited<Result<bus::Entry>> before;
    bucket.get(key, before.callback());
    const auto entry = before.next();
    toolway::test::Awaited<Result<std::uint64_t>> written;
    bucket.put(key, value, *entry ? (*entry)->revision : 0, written.callback());
    const auto revision = written.next();
    ASSERT_TRUE(revision && *revision);
    memory_->quiesce();
  }
  void off(const std::string& key) { turn(key, R"({"reason":"being repaired","by":"ann"})"); }
  void on(const std::string& key) { turn(key, ""); }
  void expect_rejected(const v1::CallEvent& end) {
    EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_REJECTED);
    EXPECT_EQ(end.completed().error().code(), "tool_disabled");
    EXPECT_EQ(end.completed().error().message(),
              "tool 'test.tool' is switched off: being repaired");
    EXPECT_EQ(end.completed().started_at_us(), 0);
  }
  static test::Body must_not_run() {
    return [](const Json&, tools::model::ToolContext&,
              tools::model::Progress&) -> tools::model::Execution {
      ADD_FAILURE() << "it was started";
      return Json();
    };
  }
};

TEST_F(CallWorkerSwitches, AQueuedCallOfAToolThatIsOffIsRejectedAndNeverStarted) {
  for (const char* key : {"test.tool", "test"}) {
    for (const bool idempotent : {true, false}) {
      off(key);
      auto worker = this->worker(test::registry_of({.idempotent = idempotent}, must_not_run()));
      submit(call());
      const auto only = event();
      ASSERT_TRUE(only.has_completed());
      expect_rejected(only);
      expect_all_acked();
      on(key);
    }
  }
}

TEST_F(CallWorkerSwitches, ObeyAtOnceAndAgainWhenItIsSwitchedOn) {
  auto worker = this->worker(test::registry_of({}, test::returns("ran")));
  submit(call());
  EXPECT_EQ(completed().completed().outcome(), v1::OUTCOME_SUCCEEDED);
  off("test.tool");
  submit(call());
  expect_rejected(completed());
  on("test.tool");
  submit(call());
  EXPECT_EQ(completed().completed().outcome(), v1::OUTCOME_SUCCEEDED);
  off("test.other");
  off("tes");
  submit(call());
  EXPECT_EQ(completed().completed().outcome(), v1::OUTCOME_SUCCEEDED);
}

TEST_F(CallWorkerSwitches, WhatRunsContinues) {
  const test::Signal running;
  const test::Signal go;
  auto worker = this->worker(test::registry_of({}, test::waits(running, go)));
  submit(call());
  ASSERT_TRUE(running.wait());
  off("test");
  go.give();
  EXPECT_EQ(completed().completed().outcome(), v1::OUTCOME_SUCCEEDED);
}

TEST_F(CallWorkerSwitches, ARetryOfAToolThatIsOffIsRejected) {
  const test::Signal failed;
  tools::model::RetryPolicy policy{.max_attempts = 3,
                                   .initial_delay = milliseconds(0),
                                   .factor = 1,
                                   .max_delay = milliseconds(0)};
  const test::Signal may_fail;
  auto worker = this->worker(test::registry_of(
      {.retry = policy},
      [&](const Json&, tools::model::ToolContext& context, tools::model::Progress&) {
        EXPECT_EQ(context.attempt(), 1u);
        failed.give();
        EXPECT_TRUE(may_fail.wait());
        return test::failure("busy");
      }));
  submit(call());
  ASSERT_TRUE(failed.wait());
  off("test");
  may_fail.give();
  const auto end = completed();
  expect_rejected(end);
  EXPECT_EQ(end.attempt(), 1u);  // there was no second one
  expect_all_acked();
}

TEST_F(CallWorkerSwitches, NothingIsPulledBeforeSwitchesAndPolicyAreKnown) {
  off("test");
  for (const auto bucket : {proto::kSwitchesStream, proto::kPoliciesStream}) {
    LateBus late(*memory_);
    late.kept = bucket;
    auto started = CallWorker::start(late, *metrics_, test::registry_of({}, must_not_run()), clock_,
                                     {}, TimePasses::kWhenTold);
    ASSERT_TRUE(started);
    submit(call());
    memory_->quiesce();
    toolway::test::Awaited<Result<bus::ConsumerState>> answer;
    memory_->consumer_state({"CALLS", "native-normal-0"}, answer.callback());
    const auto state = answer.next();
    ASSERT_TRUE(state && *state);
    EXPECT_EQ((*state)->pending, 1u);
    late.late = false;
    pass(**started, seconds(1));
    expect_rejected(completed());
    expect_all_acked();
  }
}

TEST_F(CallWorkerSwitches, AWordThatIsHeardWhileAQueueIsFoundAsksForNothingTooEarly) {
  HeardMeanwhile bus(*memory_, [this] {
    memory_->quiesce();  // the bucket has been read
    off("other");
  });
  auto started = CallWorker::start(bus, *metrics_, test::registry_of({}, test::returns("ran")),
                                   clock_, {}, TimePasses::kWhenTold);
  ASSERT_TRUE(started);
  submit(call());
  EXPECT_EQ(completed().completed().outcome(), v1::OUTCOME_SUCCEEDED);
  expect_all_acked();
}

}  // namespace
}  // namespace toolway::workers::pool
