#include "cli/client/call_wait.h"

#include <gtest/gtest.h>

#include <deque>

namespace toolway::cli::client {
namespace {

using namespace std::chrono_literals;

TEST(WaitPlan, ContinuesPastOneRequestUntilItsTimeout) {
  WaitPlan plan(150s);
  EXPECT_EQ(plan.next(0ms), 60s);
  EXPECT_EQ(plan.next(60s), 60s);
  EXPECT_EQ(plan.next(120s), 30s);
  EXPECT_EQ(plan.next(149'500ms), 1s);
  EXPECT_FALSE(plan.over(149s));
  EXPECT_TRUE(plan.over(150s));
  WaitPlan endless(0s);
  EXPECT_EQ(endless.next(24h), 60s);
  EXPECT_FALSE(endless.over(24h));
}

TEST(WaitPlan, SaysThatItStillRunsMoreAndMoreSeldom) {
  WaitPlan plan(0s);
  EXPECT_FALSE(plan.says(59s));
  EXPECT_TRUE(plan.says(60s));
  EXPECT_FALSE(plan.says(119s));
  EXPECT_TRUE(plan.says(130s));
  EXPECT_FALSE(plan.says(239s));
  EXPECT_TRUE(plan.says(1000s));
  EXPECT_FALSE(plan.says(1900s));
}

/// Answers as it was told to, and keeps what it was asked.
class ScriptedClient final : public HttpClient {
 public:
  explicit ScriptedClient(std::deque<Result<HttpAnswer>> script) : script_(std::move(script)) {}
  Result<HttpAnswer> request(std::string_view, std::string_view, std::string,
                             const Headers& headers) override {
    asked.push_back(headers.at("Prefer") + " " + headers.at("Idempotency-Key"));
    auto answer = std::move(script_.front());
    script_.pop_front();
    return answer;
  }
  Result<HttpAnswer> stream(std::string_view, const Headers&, std::chrono::milliseconds,
                            const std::function<void()>&,
                            const std::function<bool(std::string_view)>&) override {
    return fail(ErrorCode::kInternal, "not asked for");
  }
  Result<void> post(const Post&, tools::http::HttpReceiver&) override {
    return fail(ErrorCode::kInternal, "not asked for");
  }
  std::vector<std::string> asked;
  std::vector<std::chrono::milliseconds> pauses;

 private:
  std::deque<Result<HttpAnswer>> script_;
};

Result<std::optional<HttpAnswer>> wait_with(ScriptedClient& client, std::chrono::seconds timeout) {
  return wait_for_completion(
      client, "/v1/sessions/s/calls", "{}", {{"Idempotency-Key", "k"}}, "id", WaitPlan(timeout),
      [&](std::chrono::milliseconds time) { client.pauses.push_back(time); });
}

TEST(WaitForCompletion, AsksAgainUntilTheCallHasEnded) {
  ScriptedClient client({HttpAnswer{202, "{}"}, HttpAnswer{503, R"({"code":"shutting_down"})"},
                         fail(ErrorCode::kBusUnavailable, "refused"),
                         HttpAnswer{409, R"({"code":"request_in_flight"})"},
                         HttpAnswer{200, R"({"outcome":"succeeded"})"}});
  const auto answer = wait_with(client, 0s);
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ((*answer)->status, 200);
  EXPECT_EQ(client.asked, std::vector<std::string>(5, "wait=60 k"));
  EXPECT_EQ(client.pauses, (std::vector<std::chrono::milliseconds>{100ms, 200ms, 400ms, 800ms}))
      << "not at once: it may end";
}

TEST(StillRunning, IsNotSaidOfACallThatWaitsForApproval) {
  EXPECT_EQ(
      still_running("c", 60s),
      "still running after 60 s\n  show it: toolway calls show c\n  end it: toolway calls cancel c");
  EXPECT_EQ(
      still_running("c", {}, "awaiting_approval"),
      "the call waits for approval\n  show it: toolway calls show c\n  end it: toolway calls cancel c");
}

TEST(WaitForCompletion, ARefusalEndsIt) {
  ScriptedClient client({HttpAnswer{409, R"({"code":"session_closed"})"}});
  const auto answer = wait_with(client, 0s);
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ((*answer)->status, 409);
}

}  // namespace
}  // namespace toolway::cli::client
