// What `toolway call` does about the session of its call.
#include <gtest/gtest.h>

#include <atomic>

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

/// A gateway whose call ends at once with a result of which its completion has a preview.
class LargeResult : public testing::Test {
 protected:
  int call(terminal::Output output, unsigned timeout_s = 5) {
    ClientContext context{.http = {.url = server_.url("")}};
    context.view.output = output;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status =
        call_tool(context, {.tool = "shop.list", .wait = true, .timeout_s = timeout_s});
    printed_ = testing::internal::GetCapturedStdout();
    said_ = testing::internal::GetCapturedStderr();
    return status;
  }
  bool answer(test::ScriptedConnection& to, const std::string& request) {
    if (request.find("/result ") != std::string::npos)
      return to.send(readable_
                         ? ScriptedServer::ok(R"("the whole")")
                         : ScriptedServer::status(503, "", R"({"code":"store_unavailable"})"));
    if (request.find("/calls ") == std::string::npos)
      return to.send(ScriptedServer::ok(R"({"state":"open"})"));
    if (away_-- > 0)
      return to.send(ScriptedServer::status(503, "", R"({"code":"bus_unavailable","status":503})"));
    if (request.find("Prefer: ") == std::string::npos)
      return to.send(ScriptedServer::ok(R"({"call_id":"c","status":"queued"})"));
    return to.send(ScriptedServer::ok(
        R"({"call_id":"c","outcome":"succeeded","result":"the w","result_ref":{"size":11}})"));
  }
  std::atomic<bool> readable_ = true;
  std::atomic<int> away_ = 0;
  std::string printed_, said_;
  ScriptedServer server_{[this](test::ScriptedConnection& to, const std::string& request) {
    return answer(to, request);
  }};
};

TEST_F(LargeResult, IsPrintedWhole) {
  EXPECT_EQ(terminal::kExitOk, call(terminal::Output::kRaw));
  EXPECT_EQ(printed_, "the whole\n");
  EXPECT_EQ(said_, "");
  EXPECT_EQ(terminal::kExitOk, call(terminal::Output::kTable));
  EXPECT_EQ(printed_, "\"the whole\"\n");
  EXPECT_EQ(terminal::kExitOk, call(terminal::Output::kJson));
  EXPECT_NE(printed_.find("\"result\": \"the w\""), std::string::npos) << printed_;
}

TEST_F(LargeResult, IsAPreviewWithAWarningWhenItCannotBeRead) {
  readable_ = false;
  EXPECT_EQ(terminal::kExitOk, call(terminal::Output::kRaw));
  EXPECT_EQ(printed_, "the w\n");
  EXPECT_NE(said_.find("toolway calls result c"), std::string::npos) << said_;
}

TEST_F(LargeResult, IsAskedForAgainWhileTheGatewayGetsNoAnswerOfNats) {
  away_ = 1;
  EXPECT_EQ(terminal::kExitOk, call(terminal::Output::kRaw));
  EXPECT_EQ(printed_, "the whole\n");
  EXPECT_EQ(said_, "toolway: the gateway gets no answer from NATS; trying again\n");
}

}  // namespace
}  // namespace toolway::cli::client
