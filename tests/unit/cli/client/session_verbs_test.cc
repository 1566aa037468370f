// What the verbs over sessions say.
#include <gtest/gtest.h>

#include "cli/client/verbs.h"
#include "cli/terminal/exit_code.h"
#include "tests/support/scripted_server.h"

namespace toolway::cli::client {
namespace {

using test::ScriptedServer;

/// What closing a session prints, when the gateway answers so.
std::string said_of_closing(const std::string& manifest) {
  ScriptedServer server{[&](test::ScriptedConnection& to, const std::string&) {
    return to.send(ScriptedServer::ok(manifest));
  }};
  testing::internal::CaptureStdout();
  EXPECT_EQ(close_session({.http = {.url = server.url("")}}, {.session = "s"}), terminal::kExitOk);
  return testing::internal::GetCapturedStdout();
}

TEST(CloseSession, SaysWhatACallWaitsFor) {
  const auto said = said_of_closing(
      R"({"session_id":"s","closing":"wait","completed_calls":[],"pending_calls":[
          {"call_id":"a","tool":"shop.buy","state":"held","timed_out":true},
          {"call_id":"b","tool":"shop.buy","state":"queued","timed_out":false},
          {"call_id":"c","tool":"shop.buy","state":"running","timed_out":true}],
          "counts":{"queued":1,"running":1,"held":1,"completed":0,"unread":0}})");
  EXPECT_NE(said.find("timed out; waits for approval"), std::string::npos) << said;
  EXPECT_NE(said.find("still queued"), std::string::npos) << said;
  EXPECT_NE(said.find("timed out; still running"), std::string::npos) << said;
}

TEST(CloseSession, SaysThatItsCallsCannotBeCounted) {
  const auto said = said_of_closing(
      R"({"session_id":"s","closing":"wait","completed_calls":[],"pending_calls":[],
          "counts":null,"reason":"Postgres does not answer"})");
  EXPECT_EQ(said, "s closed (wait): its calls cannot be counted now\nPostgres does not answer\n");
}

TEST(ShowSession, OfAPathThatTheGatewayDoesNotServeIsNotAboutVersions) {
  std::string version = "0.0.1";
  ScriptedServer server{[&](test::ScriptedConnection& to, const std::string& request) {
    if (request.find("/livez") != std::string::npos)
      return to.send(ScriptedServer::ok(R"({"version":")" + version + R"("})"));
    return to.send(ScriptedServer::status(
        404, "", R"({"code":"not_found","status":404,"detail":"nothing is served at this path"})"));
  }};
  const auto said = [&] {
    testing::internal::CaptureStderr();
    EXPECT_EQ(show_session({.http = {.url = server.url("")}}, "s"), terminal::kExitRefused);
    return testing::internal::GetCapturedStderr();
  };
  const std::string before = "it is of version 0.0.1, this command of ";
  const auto other = said();
  const auto own = other.find(before);
  ASSERT_NE(own, std::string::npos) << other;
  version = other.substr(own + before.size(), other.find('\n') - own - before.size());
  EXPECT_EQ(said().find("version"), std::string::npos) << said();
}

}  // namespace
}  // namespace toolway::cli::client
