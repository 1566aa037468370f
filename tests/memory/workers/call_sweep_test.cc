// A worker takes a call from its delivery to the PubAck of its completion while one allocation, or
// four in a row, fail: every one of them in turn. Whichever it is, the worker stays up and the call
// ends once.
#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>

#include <deque>

#include "tests/memory/workers/scarce_bus.h"
#include "tests/unit/workers/worker_bench.h"
#include "workers/threads/job_executor.h"

namespace toolway::workers::pool {
namespace {

using std::chrono::milliseconds;
using test::Body;
using toolway::test::Watch;

/// Runs jobs on the test's thread.
class HandExecutor final : public threads::JobExecutor {
 public:
  void submit(std::shared_ptr<threads::Job> job) override {
    toolway::test::allocate();
    const Watch off(Watch::Mode::kOff);
    const std::scoped_lock lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  void abandon() override {}
  void abandoned_returned() override {}
  void stop(milliseconds) override {}
  std::size_t threads() const override { return 0; }
  bool starved() const override { return false; }

  void run_all() {
    std::deque<std::shared_ptr<threads::Job>> jobs;
    {
      const std::scoped_lock lock(mutex_);
      jobs.swap(jobs_);
    }
    for (const auto& job : jobs) {
      const Watch on;
      job->run();
    }
  }

 private:
  std::mutex mutex_;
  std::deque<std::shared_ptr<threads::Job>> jobs_;
};

/// What a sweep takes through its worker.
struct Story {
  test::Traits traits{};
  /// Of the tool; `bench` asks the worker what others would ask.
  std::function<Json(tools::model::ToolContext&, tools::model::Progress&)> tool;
  std::chrono::seconds age{0};  ///< of the call
  std::string spec_digest{};    ///< of a tool that the worker does not have
  bool taken_over = false;      ///< from a worker that has gone
  int upkeeps = 0;              ///< seconds that pass before the call comes
};

/// One worker and one call.
class Life final : public test::WorkerBench {
 public:
  explicit Life(const Story& story) : story_(story) {}

  /// How many allocations were asked for while the call was on its way.
  std::uint64_t live(std::uint64_t first, std::uint64_t count) {
    const auto executor = std::make_shared<HandExecutor>();
    auto started = CallWorker::start(scarce_, *metrics_, test::registry_of(story_.traits, body()),
                                     clock_, {.slots = 1, .settle_after_gap = milliseconds(0)},
                                     {TimePasses::kWhenTold, executor});
    CallWorker& worker = **started;
    memory_->quiesce();
    auto request = call(story_.spec_digest.empty() ? "tool" : "unknown");
    request.set_spec_digest(story_.spec_digest);
    request.set_submitted_at_us(to_unix_us(clock_.wall() - story_.age));
    if (story_.taken_over) begin_elsewhere(request);
    toolway::test::fail_allocations(first, count);
    keep_up(worker, story_.upkeeps);
    submit(request);
    settle(worker, *executor);
    const auto asked = toolway::test::allocations();
    toolway::test::fail_allocations(0, 0);
    expect_one_end(request);
    EXPECT_TRUE(story_.traits.idempotent || runs_ <= 1) << "it ran " << runs_ << " times";
    EXPECT_EQ(worker.held(), 0U);
    submit(call());
    settle(worker, *executor);
    EXPECT_EQ(completed().completed().outcome(), v1::OUTCOME_SUCCEEDED) << "of the next call";
    if (story_.upkeeps > 0) expect_upkeep(worker);
    return asked;
  }

 private:
  void TestBody() override {}

  Body body() {
    return [this](const Json&, tools::model::ToolContext& context,
                  tools::model::Progress& progress) -> tools::model::Execution {
      ++runs_;
      return story_.tool(context, progress);
    };
  }
  void begin_elsewhere(v1::CallRequest& request) {
    request.set_publication(1);
    v1::CallEvent event;
    event.set_worker_id("gone");
    event.set_attempt(1);
    event.set_time_us(to_unix_us(clock_.wall() - story_.age));
    event.mutable_started();
    append(request, event);
    (void)this->event();
  }
  void keep_up(CallWorker& worker, int seconds) {
    for (int i = 0; i < seconds; ++i) {
      clock_.advance(std::chrono::seconds(1));
      {
        const Watch on;
        worker.fire_due();
      }
      memory_->quiesce();
    }
  }
  /// Each part of the upkeep is done again, once each second.
  void expect_upkeep(CallWorker& worker) {
    keep_up(worker, 1);
    scarce_.streams_asked();
    keep_up(worker, 5);
    auto asked = scarce_.streams_asked();
    for (const auto& stream : {proto::kSwitchesStream, proto::kPoliciesStream, proto::kCallsStream,
                               proto::kEventsStream, proto::kBlobsStream}) {
      EXPECT_EQ(asked[std::string(stream)], 5) << stream;
    }
  }
  /// Lets everything happen until no message waits and none is held.
  void settle(CallWorker& worker, HandExecutor& executor) {
    for (int round = 0; round < 200; ++round) {
      memory_->quiesce();
      executor.run_all();
      memory_->quiesce();
      const bool idle = worker.held() == 0;
      if (idle && all_acked()) return;
      if (idle) memory_->expire_deliveries();
      clock_.advance(milliseconds(20));
      const Watch on;
      worker.fire_due();
    }
    ADD_FAILURE() << "the call hangs; slots taken: " << worker.held();
  }
  bool all_acked() {
    toolway::test::Awaited<Result<bus::ConsumerState>> answer;
    memory_->consumer_state({"CALLS", "native-normal-0"}, answer.callback());
    const auto state = answer.next();
    return state && *state && (*state)->ack_pending == 0 && (*state)->pending == 0;
  }
  void expect_one_end(const v1::CallRequest& request) {
    int ends = 0;
    while (events_.waiting() > 0) {
      const auto event = this->event();
      EXPECT_EQ(event.call_id(), request.call_id());
      if (event.has_completed()) {
        ++ends;
        expect_legal(event.completed());
      }
    }
    EXPECT_EQ(ends, 1);
  }
  void expect_legal(const v1::Completed& completed) {
    const auto& code = completed.error().code();
    if (!story_.spec_digest.empty()) {
      EXPECT_EQ(code, "spec_unavailable");
    } else if (completed.outcome() == v1::OUTCOME_UNKNOWN) {
      EXPECT_FALSE(story_.traits.idempotent);
    } else if (completed.outcome() != v1::OUTCOME_SUCCEEDED) {
      EXPECT_EQ(code, "tool_threw");
    }
  }

  const Story& story_;
  toolway::test::ScarceBus scarce_{*memory_};
  std::atomic<int> runs_{0};
};

class CallSweep : public ::testing::Test {
 protected:
  /// Lines are written, which may find no memory, and not shown.
  static void SetUpTestSuite() {
    spdlog::default_logger()->sinks() = {std::make_shared<spdlog::sinks::null_sink_mt>()};
  }
  /// Lets each allocation of the call fail in turn, with the `count - 1` after it.
  static void sweep(const Story& story, std::uint64_t count) {
    std::uint64_t tried = 0;
    for (std::uint64_t asked = 1; tried < asked && !HasFailure(); ++tried) {
      SCOPED_TRACE(fmt::format("allocation {} and the {} after it", tried + 1, count - 1));
      asked = Life(story).live(tried + 1, count);
    }
    EXPECT_GT(tried, 10U);
    std::printf("%d allocations, each with the %d after it\n", static_cast<int>(tried),
                static_cast<int>(count - 1));
  }
  static void sweep(const Story& story) {
    sweep(story, 1);
    sweep(story, 4);
  }
};

/// Not an object, nor an array: the destructor of one asks for memory (nlohmann::json 3.11), and
/// its lack ends the process.
Json answers(tools::model::ToolContext&, tools::model::Progress&) {
  return "of more than a few characters";
}

Json tells(tools::model::ToolContext& context, tools::model::Progress& progress) {
  progress.report({.progress = 1, .total = 2, .message = "half of the way to the end"});
  context.log(tools::model::LogLevel::kInfo, "a line of more than a few characters");
  context.add_content({.type = "text", .text = "a block of more than a few characters"});
  progress.report({.progress = 2, .total = 2, .message = "all of the way to the end"});
  return answers(context, progress);
}

Json fills_a_blob(tools::model::ToolContext&, tools::model::Progress&) {
  return std::string(300'000, 'x');
}

TEST_F(CallSweep, AQuickCall) { sweep({.tool = answers}); }

TEST_F(CallSweep, ACallThatRunsAtMostOnce) {
  sweep({.traits = {.idempotent = false}, .tool = answers});
}

TEST_F(CallSweep, ACallThatReportsAndLogs) {
  sweep({.traits = {.multi_step = true}, .tool = tells});
}

TEST_F(CallSweep, ACallThatReportsAndLogsAndRunsAtMostOnce) {
  sweep({.traits = {.idempotent = false, .multi_step = true}, .tool = tells});
}

TEST_F(CallSweep, ACallWithALargeResult) { sweep({.tool = fills_a_blob}); }

TEST_F(CallSweep, ACallWithALargeResultThatRunsAtMostOnce) {
  sweep({.traits = {.idempotent = false}, .tool = fills_a_blob});
}

TEST_F(CallSweep, AnOldCallWhoseLogIsRead) {
  sweep({.tool = answers, .age = std::chrono::seconds(60)});
}

TEST_F(CallSweep, ACallWhoseSpecIsFetched) {
  sweep({.tool = answers, .spec_digest = "sha256:" + std::string(64, 'a')});
}

TEST_F(CallSweep, ACallThatIsTakenOver) {
  sweep({.tool = answers, .age = std::chrono::seconds(60), .taken_over = true});
}

TEST_F(CallSweep, TheUpkeepBeforeACall) { sweep({.tool = answers, .upkeeps = 6}); }

}  // namespace
}  // namespace toolway::workers::pool
