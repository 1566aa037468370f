#include "cli/client/silence_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "cli/client/http_client.h"
#include "tests/support/scripted_server.h"

namespace toolway::cli::client {
namespace {

using namespace std::chrono_literals;
using test::ScriptedConnection;
using test::ScriptedServer;

TEST(SilenceWatch, EndsARequestToWhatIsNotAlive) {
  SilenceWatch watch({}, 1ms, [] { return false; });
  std::promise<void> ended;
  const std::stop_callback seen(watch.stop(), [&] { ended.set_value(); });
  ASSERT_EQ(ended.get_future().wait_for(30s), std::future_status::ready);
  EXPECT_TRUE(watch.gave_up());
}

TEST(SilenceWatch, WaitsForWhatIsOnlySlow) {
  std::promise<void> asked;
  SilenceWatch watch({}, 1ms, [&] {
    asked.set_value();
    return true;
  });
  ASSERT_EQ(asked.get_future().wait_for(30s), std::future_status::ready);
  watch.answered();
  EXPECT_FALSE(watch.stop().stop_requested());
  EXPECT_FALSE(watch.gave_up());
}

TEST(SilenceWatch, AsksNothingAfterAnAnswerOrWithoutPatience) {
  std::atomic<int> asked = 0;
  const auto count = [&] {
    ++asked;
    return false;
  };
  {
    SilenceWatch early({}, 1h, count);
    early.answered();
    SilenceWatch without({}, 0ms, count);
  }
  EXPECT_EQ(asked, 0);
}

TEST(SilenceWatch, IsStoppedFromOutside) {
  std::stop_source outer;
  SilenceWatch watch(outer.get_token(), 1h, [] { return true; });
  outer.request_stop();
  EXPECT_TRUE(watch.stop().stop_requested());
  EXPECT_FALSE(watch.gave_up());
}

Result<HttpAnswer> asked_of(const ScriptedServer& server) {
  auto client = HttpClient::create({.url = server.url(""), .patience = 50ms});
  return client ? (*client)->request("GET", "/v1/tools") : tl::unexpected(client.error());
}

TEST(SilenceWatch, ASilentProgramIsGivenUpSoon) {
  ScriptedServer silent([](ScriptedConnection& to, const std::string&) {
    to.wait_for_close();
    return false;
  });
  const auto answer = asked_of(silent);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kBusUnavailable);
  EXPECT_NE(answer.error().message.find("takes connections and does not answer"), std::string::npos)
      << answer.error().message;
}

TEST(SilenceWatch, AGatewayThatAnswersLateIsWaitedFor) {
  std::promise<void> alive;
  auto was_asked = alive.get_future().share();
  ScriptedServer slow([&](ScriptedConnection& to, const std::string& request) {
    if (request.starts_with("GET /livez")) {
      const bool sent = to.send(ScriptedServer::ok("{}"));
      alive.set_value();
      return sent;
    }
    was_asked.wait_for(30s);
    return to.send(ScriptedServer::ok(R"({"tools":[]})"));
  });
  const auto answer = asked_of(slow);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, R"({"tools":[]})");
}

TEST(SilenceWatch, AnAnswerOfAnotherTypeIsReturned) {
  ScriptedServer page([](ScriptedConnection& to, const std::string&) {
    return to.send(ScriptedServer::ok("<html>", "Content-Type: text/html\r\n"));
  });
  auto client = HttpClient::create({.url = page.url("")});
  ASSERT_TRUE(client);
  bool opened = false;
  const auto answer = (*client)->stream(
      "/v1/sessions/s/events", {}, 5s, [&] { opened = true; },
      [](std::string_view) { return true; });
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_FALSE(opened);
  EXPECT_EQ(answer->body, "<html>");
}

}  // namespace
}  // namespace toolway::cli::client
