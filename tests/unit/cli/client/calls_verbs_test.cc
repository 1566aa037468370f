// What the verbs over recorded calls ask a gateway for.
#include <gtest/gtest.h>

#include "cli/client/verbs.h"
#include "cli/terminal/exit_code.h"
#include "tests/support/scripted_server.h"

namespace toolway::cli::client {
namespace {

using test::ScriptedServer;

constexpr const char* kCall = "0191b3c2-7a6f-7c1d-8e2b-5f3a4d6e7f80";

/// A gateway that has one call, and a list of which the first page is empty.
class RecordedCall : public testing::Test {
 protected:
  static bool answer(test::ScriptedConnection& to, const std::string& request) {
    if (request.starts_with("POST"))
      return to.send(ScriptedServer::ok(R"({"call_id":"new","status":"queued"})"));
    if (request.starts_with("GET /v1/calls?"))
      return to.send(
          ScriptedServer::ok(request.find("before=") == std::string::npos
                                 ? R"({"calls":[],"next":"further","behind":false})"
                                 : R"({"calls":[{"call_id":"rare"}],"next":null,"behind":false})"));
    if (request.starts_with("GET /v1/calls/"))
      return to.send(ScriptedServer::ok(
          R"({"session_id":"s","namespace":"shop","tool":"refund","arguments":{"order": 7}})"));
    return to.send(ScriptedServer::ok(R"({"state":"open"})"));
  }
  ClientContext context() { return {.http = {.url = server_.url("")}}; }
  std::string last_request() { return server_.requests().back(); }

  ScriptedServer server_{
      [](test::ScriptedConnection& to, const std::string& request) { return answer(to, request); }};
};

TEST_F(RecordedCall, IsRetriedInItsSessionWithItsArguments) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(retry_call(context(), {.call = kCall}), terminal::kExitOk);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("queued new"), std::string::npos);
  EXPECT_NE(last_request().find("POST /v1/sessions/s/calls "), std::string::npos);
  EXPECT_NE(last_request().find(R"({"tool":"shop.refund","arguments":{"order":7}})"),
            std::string::npos)
      << last_request();
}

TEST_F(RecordedCall, IsRetriedWithOtherArguments) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(retry_call(context(), {.call = kCall, .arguments = R"({"order": 8})"}),
            terminal::kExitOk);
  testing::internal::GetCapturedStdout();
  EXPECT_NE(last_request().find(R"("arguments":{"order":8})"), std::string::npos) << last_request();
}

TEST_F(RecordedCall, IsFoundAfterAPageThatIsEmpty) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(list_calls(context(), {}), terminal::kExitOk);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("rare"), std::string::npos);
  EXPECT_NE(last_request().find("before=further"), std::string::npos);
}

TEST_F(RecordedCall, AreMoreThanAListThatEndsAtItsLimitShows) {
  ScriptedServer server{[](test::ScriptedConnection& to, const std::string&) {
    return to.send(ScriptedServer::ok(
        R"({"calls":[{"call_id":"a"},{"call_id":"b"}],"next":"b","behind":false})"));
  }};
  ClientContext asking{.http = {.url = server.url("")}};
  const auto said_by = [&](const CallListOptions& options) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    EXPECT_EQ(list_calls(asking, options), terminal::kExitOk);
    testing::internal::GetCapturedStdout();
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said_by({.limit = 2}),
            "toolway: 2 are shown, and there are more: --limit 20 shows more\n");
  asking.view.output = terminal::Output::kJson;
  EXPECT_EQ(said_by({.limit = 2}), "");
}

TEST_F(RecordedCall, LogsNeedToKnowOfWhat) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(show_logs(context(), {}), terminal::kExitUsage);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("toolway logs --tool NAME"),
            std::string::npos);
}

}  // namespace
}  // namespace toolway::cli::client
