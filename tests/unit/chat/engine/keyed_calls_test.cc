#include "chat/engine/keyed_calls.h"

#include <gtest/gtest.h>

#include <deque>
#include <utility>

namespace toolway::chat::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using tools::messages::CallResult;
using Start = KeyedCalls::Start;

/// Gives the answers of a test in order, and then none.
class Answering final : public KeyedCalls {
 public:
  tl::expected<Results, NoAnswer> ask(const Ask& ask, const std::stop_token& stop) override {
    asked.push_back(ask);
    stoppable.push_back(stop.stop_possible());
    if (answers.empty())
      return tl::unexpected(NoAnswer{{ErrorCode::kBusUnavailable, "away"}, true});
    auto answer = std::move(answers.front());
    answers.pop_front();
    return answer;
  }
  void cancel(const std::string& call) override { cancelled.push_back(call); }

  std::deque<tl::expected<Results, NoAnswer>> answers;
  std::vector<Ask> asked;
  std::vector<bool> stoppable;
  std::vector<std::string> cancelled;
};

struct KeyedCallsTest : testing::Test {
  Pause pause() {
    return [this](milliseconds time, const std::stop_token& token) {
      passed += time;
      if (passed >= stops_at) stop.request_stop();
      return !token.stop_requested();
    };
  }
  static KeyedCalls::Results one_of_two() {
    return {{.call_id = "a", .text = "so", .ran_as = "A"},
            {.call_id = "b", .text = "it is running", .ran_as = "B", .detached = true}};
  }

  Answering calls;
  std::stop_source stop;
  milliseconds passed{0};
  milliseconds stops_at = std::chrono::hours(1);
};

TEST_F(KeyedCallsTest, AreAskedForOnce) {
  calls.answers.emplace_back(one_of_two());
  const auto results = run_calls(calls, seconds(5), pause(), {.stop = stop.get_token()});
  ASSERT_TRUE(results);
  EXPECT_EQ(results->size(), 2U);
  ASSERT_EQ(calls.asked.size(), 1U);
  EXPECT_EQ(calls.asked[0].start, Start::kYes);
  EXPECT_EQ(calls.asked[0].wait, seconds(5));
  EXPECT_TRUE(calls.cancelled.empty());
}

TEST_F(KeyedCallsTest, AreAskedForAgainForAMinute) {
  const auto results = run_calls(calls, seconds(5), pause(), {.stop = stop.get_token()});
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, ErrorCode::kBusUnavailable);
  EXPECT_EQ(passed, seconds(60));
  EXPECT_EQ(calls.asked.size(), 61U);
  for (const auto& ask : calls.asked) EXPECT_EQ(ask.start, Start::kYes);
}

TEST_F(KeyedCallsTest, AreNotAskedForAgainOnceTheyAreRefused) {
  calls.answers.emplace_back(tl::unexpected(NoAnswer{{ErrorCode::kInvalidRequest, "no"}, false}));
  const auto results = run_calls(calls, seconds(5), pause(), {.stop = stop.get_token()});
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, ErrorCode::kInvalidRequest);
  EXPECT_EQ(calls.asked.size(), 1U);
}

TEST_F(KeyedCallsTest, AreGivenUpWhereTheyWereNotStartedWhenTheyAreSettled) {
  calls.answers.emplace_back(one_of_two());
  const auto results = settle_calls(calls, seconds(5), pause(), stop.get_token());
  ASSERT_TRUE(results);
  EXPECT_EQ(results->size(), 2U) << "what runs continues";
  EXPECT_EQ(calls.asked[0].start, Start::kNo);
  EXPECT_TRUE(calls.cancelled.empty());
}

TEST_F(KeyedCallsTest, AreCancelledAfterAStopAndNotStarted) {
  stop.request_stop();
  calls.answers.emplace_back(one_of_two());
  calls.answers.emplace_back(one_of_two());
  const auto results = run_calls(calls, seconds(5), pause(), {.stop = stop.get_token()});
  ASSERT_TRUE(results);
  ASSERT_EQ(results->size(), 1U);
  EXPECT_EQ(results->front().call_id, "a");
  EXPECT_EQ(calls.cancelled, std::vector<std::string>{"B"});
  EXPECT_EQ(calls.asked[1].start, Start::kNo);
  EXPECT_EQ(calls.asked[1].wait, milliseconds(0));
  EXPECT_FALSE(calls.stoppable[1]) << "it was stopped already";
}

TEST_F(KeyedCallsTest, RunOnWhenTheyAreLeftToAnotherProcess) {
  stop.request_stop();
  calls.answers.emplace_back(one_of_two());
  const CallsStop left{.stop = stop.get_token(), .leave = stop.get_token()};
  const auto results = run_calls(calls, seconds(5), pause(), left);
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(calls.asked.size(), 1U);
  EXPECT_TRUE(calls.cancelled.empty());
}

TEST_F(KeyedCallsTest, AreNotKnownAfterAStopIfNoOneAnswers) {
  stops_at = seconds(3);
  EXPECT_FALSE(run_calls(calls, seconds(5), pause(), {.stop = stop.get_token()}));
  EXPECT_EQ(passed, seconds(3));
  EXPECT_EQ(calls.asked.size(), 4U);
  EXPECT_EQ(calls.asked.back().start, Start::kNo);
}

}  // namespace
}  // namespace toolway::chat::engine
