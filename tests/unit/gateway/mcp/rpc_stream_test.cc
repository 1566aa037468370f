#include "gateway/mcp/rpc_stream.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>

#include "bus/in_memory_bus.h"
#include "tests/support/test_clock.h"
#include "tests/unit/gateway/bus_loop.h"

namespace toolway::gateway::mcp {
namespace {

using Turn = wire::EventStream::Turn;

/// What a call's events are, as a test says; then there are none for as long as asked.
class Scripted final : public wire::EventStream {
 public:
  explicit Scripted(test::StoppedClock& clock) : clock_(clock) {}
  loop::Task<Turn> next(std::string& out) override {
    if (events.empty()) {
      clock_.advance(silence_);
      co_return Turn::kQuiet;
    }
    clock_.advance(each);
    out += events.front();
    events.pop_front();
    co_return Turn::kEvents;
  }
  void stop() override {}
  void quiet_after(std::chrono::milliseconds silence) override { silence_ = silence; }
  loop::Task<void> left() override { co_return; }

  std::deque<std::string> events;
  std::chrono::milliseconds each{0};  ///< how long one takes

 private:
  test::StoppedClock& clock_;
  std::chrono::milliseconds silence_{0};
};

std::string event(std::string_view type, std::string_view id, std::string_view more = "") {
  return fmt::format("event: {0}\nid: {1}\ndata: {{\"id\":\"{1}\"{2}}}\n\n", type, id, more);
}

class RpcStreamTest : public testing::Test {
 protected:
  RpcStream& stream(StreamedCall call) {
    auto scripted = std::make_unique<Scripted>(clock_);
    events_ = scripted.get();
    call.answer = [](Json) -> loop::Task<std::string> { co_return "ANSWER"; };
    call.left = [this]() -> loop::Task<void> {
      ++left_;
      co_return;
    };
    stream_ = std::make_unique<RpcStream>(std::move(scripted), std::move(call), clock_);
    return *stream_;
  }
  std::string next(Turn turn = Turn::kEvents) {
    std::string out;
    auto step = [&]() -> loop::Task<void> { EXPECT_EQ(co_await stream_->next(out), turn); };
    loop_.run(step());
    return out;
  }
  std::optional<std::string> only_answer() {
    std::optional<std::string> only;
    auto step = [&]() -> loop::Task<void> {
      only = co_await stream_->only_answer(std::chrono::milliseconds(100));
    };
    loop_.run(step());
    return only;
  }

  const std::unique_ptr<bus::InMemoryBus> bus_ = bus::make_in_memory_bus();
  BusLoop loop_{*bus_};
  test::StoppedClock clock_;
  std::unique_ptr<RpcStream> stream_;
  Scripted* events_ = nullptr;
  int left_ = 0;
};

TEST_F(RpcStreamTest, AnAnswerThatComesAtOnceComesAlone) {
  stream({.stream_id = "S", .primes = true});
  events_->events = {event("started", "1-1"), event("completed", "1-2")};
  EXPECT_EQ(only_answer(), "ANSWER");
  loop_.run(stream_->left());
  EXPECT_EQ(left_, 0) << "there is nothing to leave";
}

TEST_F(RpcStreamTest, IdsAreOfTheStreamAndTheEvent) {
  stream({.progress_token = "t", .stream_id = "S", .after = {}, .primes = true});
  EXPECT_EQ(only_answer(), std::nullopt);
  EXPECT_EQ(next(), "id: S:0\ndata:\n\n");
  events_->events = {event("progress", "1-2", R"(,"progress":1)"), event("completed", "1-4")};
  EXPECT_EQ(
      next(),
      "id: S:1:1-2\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":"
      "\"notifications/progress\",\"params\":{\"progress\":1.0,\"progressToken\":\"t\"}}\n\n");
  EXPECT_EQ(next(), "id: S:1:1-4\nevent: message\ndata: ANSWER\n\n");
  next(Turn::kEnded);
}

// The chaos suite found that a second attempt's progress fell on a resumed stream.
TEST_F(RpcStreamTest, ProgressRisesFromWhereAResumedStreamHadCome) {
  stream({.progress_token = "t", .stream_id = "S", .after = {1, 6}, .shown = 2});
  events_->events = {event("progress", "1-8", R"(,"progress":1)"),
                     event("progress", "1-10", R"(,"progress":3)")};
  const auto shown = next();
  EXPECT_EQ(shown.find("id: S:3:1-10\n"), 0U) << shown;
  const auto life = next();
  EXPECT_EQ(life.find("id: S:3.000001:1-10\n"), 0U) << "the next one must rise from there";
}

TEST_F(RpcStreamTest, ItIsFollowedUntilItsAnswerIsATask) {
  stream({.progress_token = "t",
          .task_at = clock_.monotonic() + std::chrono::seconds(15),
          .task = "TASK"});
  EXPECT_NE(next().find("still running"), std::string::npos) << "after 10 s";
  EXPECT_EQ(next(), "event: message\ndata: TASK\n\n") << "5 s later";
  next(Turn::kEnded);
  loop_.run(stream_->left());
  EXPECT_EQ(left_, 0) << "the call continues";
}

TEST_F(RpcStreamTest, AnAnswerThatComesBeforeCounts) {
  stream({.task_at = clock_.monotonic() + std::chrono::seconds(15), .task = "TASK"});
  events_->each = std::chrono::seconds(8);
  events_->events = {event("started", "1-1"), event("completed", "1-2")};
  EXPECT_EQ(next(), "event: message\ndata: ANSWER\n\n");
  next(Turn::kEnded);
}

TEST_F(RpcStreamTest, ProgressOfASilentToolRisesByNextToNothing) {
  stream({.progress_token = "t"});
  events_->events = {event("progress", "1-2", R"(,"progress":3,"total":4)")};
  next();
  const auto alive = next();
  EXPECT_NE(alive.find(R"("progress":3.000001,"progressToken":"t","total":4.0)"), std::string::npos)
      << alive;
  EXPECT_NE(next().find(R"("progress":3.000002)"), std::string::npos);
  events_->events = {event("progress", "1-4", R"(,"progress":4,"total":4)")};
  EXPECT_NE(next().find(R"("progress":4.0)"), std::string::npos);
}

TEST_F(RpcStreamTest, OfACallThatWaitsForApprovalItDoesNotSayThatItRuns) {
  StreamedCall call{.progress_token = "t"};
  call.ask = [](Json, std::size_t) -> loop::Task<StreamedCall::AfterQuestion> {
    co_return StreamedCall::AfterQuestion{};
  };
  stream(std::move(call));
  const auto life_after = [&](std::deque<std::string> events) {
    events_->events = std::move(events);
    return next();
  };
  EXPECT_NE(life_after({event("approval_requested", "1-1")}).find("it waits for approval"),
            std::string::npos);
  EXPECT_NE(life_after({event("approval_decided", "1-2", R"(,"approved":false)")})
                .find("it waits for approval"),
            std::string::npos)
      << "more must approve";
  EXPECT_NE(
      life_after({event("approval_decided", "1-3", R"(,"approved":true)")}).find("still running"),
      std::string::npos);
}

TEST_F(RpcStreamTest, AResumedOneAsksOnceWhetherItsCallWaitsForApproval) {
  bool held = true;
  int asked = 0;
  const auto resumed = [&] {
    StreamedCall call{.progress_token = "t", .stream_id = "S", .after = {1, 1}};
    call.held = [&]() -> loop::Task<bool> {
      ++asked;
      co_return held;
    };
    stream(std::move(call));
  };
  resumed();
  EXPECT_NE(next().find("it waits for approval"), std::string::npos) << "its event came before";
  EXPECT_NE(next().find("it waits for approval"), std::string::npos);
  EXPECT_EQ(asked, 1);
  events_->events = {event("started", "1-2")};
  EXPECT_NE(next().find("still running"), std::string::npos);
  held = false;
  resumed();
  EXPECT_NE(next().find("still running"), std::string::npos);
  resumed();
  events_->events = {event("started", "1-2")};
  EXPECT_NE(next().find("still running"), std::string::npos);
  EXPECT_EQ(asked, 2) << "its events say it";
}

TEST_F(RpcStreamTest, EventsThatAreNotForThisClientDoNotMakeItWait) {
  stream({.progress_token = "t", .log_level = "error"});
  events_->each = std::chrono::seconds(1);
  for (int i = 1; i < 100; ++i)
    events_->events.push_back(
        event("log", fmt::format("1-{}", i), R"(,"level":"debug","message":"m")"));
  EXPECT_EQ(only_answer(), std::nullopt);
  EXPECT_NE(next().find("still running"), std::string::npos);
  stream({.progress_token = {}, .log_level = "error"});
  EXPECT_EQ(next(Turn::kQuiet), "") << "a comment will do";
}

TEST_F(RpcStreamTest, AClientThatGoesLeavesACallThatHasNotEnded) {
  stream({});
  EXPECT_EQ(only_answer(), std::nullopt);
  loop_.run(stream_->left());
  EXPECT_EQ(left_, 1);
}

/// Its event asks A, B and C.
StreamedCall asking_three() {
  StreamedCall call{.stream_id = "S"};
  call.ask = [](Json, std::size_t before) -> loop::Task<StreamedCall::AfterQuestion> {
    StreamedCall::AfterQuestion asks;
    for (std::size_t i = before; i < 3; ++i)
      asks.messages.push_back(
          {.text = std::string(1, static_cast<char>('A' + i)), .questions = i + 1});
    co_return asks;
  };
  return call;
}

TEST_F(RpcStreamTest, EachOfSeveralQuestionsHasAnIdAndTheLastIsTheWholeEvents) {
  stream(asking_three());
  events_->events = {event("input_requested", "1-2")};
  EXPECT_EQ(next(),
            "id: S:1-2+1\nevent: message\ndata: A\n\nid: S:1-2+2\nevent: message\ndata: B\n\n"
            "id: S:1-2\nevent: message\ndata: C\n\n");
}

TEST_F(RpcStreamTest, AResumedOneAsksOnlyWhatItsClientWasNotAsked) {
  auto call = asking_three();
  call.primes = true;
  call.partly = {.event_id = "1-2", .questions = 1};
  stream(std::move(call));
  events_->events = {event("input_requested", "1-2"), event("input_requested", "1-4")};
  EXPECT_EQ(next(), "id: S:1-2+1\ndata:\n\n");
  EXPECT_EQ(next(),
            "id: S:1-2+2\nevent: message\ndata: B\n\n"
            "id: S:1-2\nevent: message\ndata: C\n\n");
  EXPECT_TRUE(next().starts_with("id: S:1-4+1\nevent: message\ndata: A\n\n"))
      << "of another event it was asked nothing";
}

TEST_F(RpcStreamTest, ItsFirstIdIsThePlaceBeforeAllThatItShows) {
  StreamedCall call{.stream_id = "S", .primes = true};
  call.ask = [](Json, std::size_t) -> loop::Task<StreamedCall::AfterQuestion> {
    StreamedCall::AfterQuestion asks;
    asks.messages = {{.text = "A", .questions = 1}};
    co_return asks;
  };
  stream(std::move(call));
  events_->events = {event("input_requested", "1-2")};
  // What came soon is kept until the stream begins.
  EXPECT_FALSE(only_answer());
  EXPECT_EQ(next(), "id: S:0\ndata:\n\nid: S:1-2\nevent: message\ndata: A\n\n");
}

TEST_F(RpcStreamTest, OfATaskItsStatusIsSaidWhenItHasChanged) {
  StreamedCall call;
  int asked = 0;
  call.status = [&asked]() -> loop::Task<std::string> {
    const std::string status = ++asked < 3 ? "working" : "";
    co_return status;
  };
  call.ask = [](Json, std::size_t) -> loop::Task<StreamedCall::AfterQuestion> {
    StreamedCall::AfterQuestion asks;
    asks.messages = {{.text = "A", .questions = 1}};
    co_return asks;
  };
  stream(std::move(call));
  events_->events = {event("started", "1-2"), event("input_provided", "1-3"),
                     event("input_requested", "1-4")};
  EXPECT_EQ(next(), "event: message\ndata: working\n\n");
  EXPECT_EQ(next(), "event: message\ndata: A\n\n") << "it was shown as working before";
  EXPECT_EQ(asked, 3);
}

TEST_F(RpcStreamTest, ThatACallIsParkedAsksNothing) {
  StreamedCall call;
  call.ask = [](Json, std::size_t) -> loop::Task<StreamedCall::AfterQuestion> {
    StreamedCall::AfterQuestion asks;
    asks.messages = {{.text = "A", .questions = 1}};
    co_return asks;
  };
  stream(std::move(call));
  events_->events = {event("input_requested", "1-2", ",\"parked\":true"),
                     event("input_requested", "1-4")};
  EXPECT_EQ(next(), "event: message\ndata: A\n\n");
}

}  // namespace
}  // namespace toolway::gateway::mcp
