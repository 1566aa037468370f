// What `toolway call` does about the session of its call.
#include <gtest/gtest.h>

#include "cli/client/verbs.h"
#include "cli/terminal/exit_code.h"
#include "tests/support/scripted_server.h"

namespace toolway::cli::client {
namespace {

using test::ScriptedServer;

/// A gateway that has one session, which is closed until it is restored.
class ClosedSession : public testing::Test {
 protected:
  int call(const std::string& session) {
    testing::internal::CaptureStderr();
    const int status =
        call_tool({.http = {.url = server_.url("")}}, {.session = session, .tool = "time.now"});
    said_ = testing::internal::GetCapturedStderr();
    return status;
  }
  bool answer(test::ScriptedConnection& to, const std::string& request) {
    if (request.find("/restore ") != std::string::npos) closed_ = false;
    if (request.find("/calls ") == std::string::npos)
      return to.send(ScriptedServer::ok(closed_ ? R"({"state":"closed"})" : R"({"state":"open"})"));
    if (closed_)
      return to.send(ScriptedServer::status(409, "", R"({"code":"session_closed","status":409})"));
    return to.send(ScriptedServer::ok(R"({"call_id":"c","status":"queued"})"));
  }
  std::atomic<bool> closed_ = true;
  std::string said_;
  ScriptedServer server_{[this](test::ScriptedConnection& to, const std::string& request) {
    return answer(to, request);
  }};
};

TEST_F(ClosedSession, IsRestoredWhenItIsTheVerbsOwn) {
  EXPECT_EQ(terminal::kExitOk, call(std::string(kOwnSession)));
  EXPECT_EQ(said_, "toolway: session cli was closed, and is restored\n");
  EXPECT_EQ(3U, server_.requests().size());
  EXPECT_EQ(terminal::kExitOk, call(std::string(kOwnSession)));
  EXPECT_EQ(said_, "");
}

TEST_F(ClosedSession, StaysClosedWhenItWasNamed) {
  EXPECT_EQ(terminal::kExitRefused, call("mine"));
  EXPECT_TRUE(closed_);
}

}  // namespace
}  // namespace toolway::cli::client
