#include "tests/unit/tools/executors/mcp_client/scripted_server.h"

namespace toolway::tools::executors::mcp_client {
namespace {

using namespace std::chrono_literals;
using Again = LinkCall::Again;

TEST(McpHttpLink, ASessionThatEndedIsOpenedAgain) {
  Scripted server({}, Scripted::Over::kHttp);
  server.connect();
  EXPECT_EQ(server.text("forget_sessions"), "forgotten");
  EXPECT_EQ(server.text("echo", {{"text", "anew"}}), "anew");
  server.link.reset();
  EXPECT_TRUE(server.sees("deleted")) << "the last one is ended in order";
}

TEST(McpHttpLink, ServersWithoutSessionsAreServedAsWell) {
  Scripted server({"--no-sessions"}, Scripted::Over::kHttp);
  server.connect();
  EXPECT_EQ(server.text("echo", {{"text", "x"}}), "x");
}

TEST(McpHttpLink, AStreamThatBreaksOffIsResumed) {
  Scripted server({}, Scripted::Over::kHttp);
  server.connect();
  EXPECT_EQ(server.text("breaks_off"), "after the break");
  EXPECT_EQ(server.seen("resumed").size(), 1U);
  EXPECT_EQ(server.seen("call").size(), 1U) << "the tool ran once";
}

TEST(McpHttpLink, TodayAStreamThatBreaksOffHasLostItsCall) {
  Scripted server({"--revision", "2026-07-28"}, Scripted::Over::kHttp);
  server.connect();
  EXPECT_EQ(server.text("breaks_off"), "mcp_server_died");
}

TEST(McpHttpLink, HeadersSayWhatTheBodySays) {
  Scripted server({"--revision", "2026-07-28"}, Scripted::Over::kHttp);
  server.connect();
  auto call = server.with("mirrored", {{"region", "eu"}});
  call.headers = {{"Mcp-Param-Region", "eu"}};
  EXPECT_EQ(mcp::text_of(server.link->call(call)->content), "mirrored ran");
  bool found = false;
  for (const auto& post : server.seen("post")) {
    if (post["method"] != "tools/call") continue;
    found = true;
    EXPECT_EQ(post["headers"]["mcp-protocol-version"], "2026-07-28");
    EXPECT_EQ(post["headers"]["mcp-method"], "tools/call");
    EXPECT_EQ(post["headers"]["mcp-name"], "mirrored");
  }
  EXPECT_TRUE(found);
}

TEST(McpHttpLink, ConfiguredHeadersAreSent) {
  Scripted server({}, Scripted::Over::kHttp);
  server.secrets = std::make_shared<model::Secrets>(std::filesystem::path(),
                                                    model::Secrets::Values{{"TOKEN", "s3cret"}});
  server.config.http->headers.emplace_back("Authorization",
                                           *SecretText::parse("Bearer {secret:TOKEN}"));
  server.connect();
  EXPECT_EQ(server.text("echo", {{"text", "x"}}), "x");
  for (const auto& post : server.seen("post"))
    EXPECT_EQ(post["headers"]["authorization"], "Bearer s3cret");
}

TEST(McpHttpLink, OneThatIsNotThereIsSaidSo) {
  Scripted server({}, Scripted::Over::kHttp);
  server.kill_http();
  server.config.start_timeout = 1s;
  server.connect();
  const auto result = server.call("echo");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "mcp_server_unavailable");
  EXPECT_TRUE(result.error().retryable);
}

TEST(McpHttpLink, AddressesThatAreNotAllowedAreRefused) {
  Scripted server({}, Scripted::Over::kHttp);
  server.config.http->allow_addresses.clear();
  server.config.start_timeout = 1s;
  server.connect();
  const auto result = server.call("echo");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "mcp_server_unavailable");
  EXPECT_NE(result.error().message.find("127.0.0.1"), std::string::npos) << result.error().message;
  EXPECT_TRUE(server.seen("post").empty());
}

TEST(McpHttpLink, DyingUnderACallIsSaidSo) {
  Scripted server({}, Scripted::Over::kHttp);
  server.config.start_timeout = 1s;
  server.connect();
  EXPECT_EQ(server.text("dies"), "mcp_server_died");
}

}  // namespace
}  // namespace toolway::tools::executors::mcp_client
