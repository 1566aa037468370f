#include "base/net/http_client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>

#include "tests/support/scripted_server.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_certificate.h"

namespace toolway::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::ScriptedConnection;
using test::ScriptedServer;
using Beyond = HttpRequest::Beyond;

ScriptedServer::Answer always(std::string answer) {
  return [answer = std::move(answer)](ScriptedConnection& connection, const std::string&) {
    return connection.send(answer);
  };
}

/// The body ends where the connection does.
ScriptedServer::Answer unmeasured(std::string body) {
  return [body = std::move(body)](ScriptedConnection& connection, const std::string&) {
    return connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body) && false;
  };
}

std::string moved_to(const std::string& url) {
  return ScriptedServer::status(302, "Location: " + url + "\r\n");
}

bool never() { return false; }

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

class NetHttpClientTest : public testing::Test {
 protected:
  static HttpRequest request(std::string url) { return {.url = std::move(url), .max_bytes = 1000}; }
  ErrorCode error_of(const HttpRequest& asked) {
    const auto answer = client_.send(asked, never);
    EXPECT_FALSE(answer);
    if (answer) return ErrorCode::kInternal;
    EXPECT_FALSE(holds(answer.error().message, "s3cret")) << answer.error().message;
    return answer.error().code;
  }

  HttpClient client_;
};

TEST_F(NetHttpClientTest, GetsOverOneConnection) {
  const ScriptedServer server(
      always(ScriptedServer::ok("hello", "etag:  W/\"v1\" \r\nRetry-After: 7\r\n")));
  auto asked = request(server.url("/a?b=c"));
  asked.headers = {"X-One: 1"};
  for (int i = 0; i < 2; ++i) {
    const auto answer = client_.send(asked, never);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 200U);
    EXPECT_EQ(answer->body, "hello");
    EXPECT_EQ(answer->etag, "W/\"v1\"");
    EXPECT_EQ(answer->retry_after, seconds(7));
  }
  EXPECT_EQ(server.connections(), 1U);
  const auto sent = server.requests().at(1);
  EXPECT_TRUE(sent.starts_with("GET /a?b=c HTTP/1.1\r\n")) << sent;
  EXPECT_TRUE(holds(sent, "\r\nX-One: 1\r\n")) << sent;
  EXPECT_TRUE(holds(sent, "\r\nUser-Agent: toolway/")) << sent;
  EXPECT_FALSE(holds(sent, "Accept-Encoding")) << sent;
}

TEST_F(NetHttpClientTest, PostsABodyWithoutWaitingForLeave) {
  const ScriptedServer server(always(ScriptedServer::status(503)));
  const std::string large(100'000, 'x');
  for (const std::string& body : {large, std::string()}) {
    auto asked = request(server.url());
    asked.body = body;
    asked.user_agent = "me/1";
    const auto answer = client_.send(asked, never);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 503U);
    EXPECT_FALSE(answer->retry_after);
    const auto sent = server.requests().back();
    EXPECT_TRUE(sent.starts_with("POST / ")) << sent.substr(0, 200);
    EXPECT_TRUE(sent.ends_with("\r\n\r\n" + body));
    EXPECT_TRUE(holds(sent, "\r\nUser-Agent: me/1\r\n"));
    EXPECT_FALSE(holds(sent, "Expect:"));
  }
  // What one request was given is not of the next.
  EXPECT_TRUE(client_.send(request(server.url()), never));
  EXPECT_TRUE(server.requests().back().starts_with("GET / "));
  EXPECT_TRUE(holds(server.requests().back(), "User-Agent: toolway/"));
}

TEST_F(NetHttpClientTest, AnAnswerOverTheLimitFailsOrIsCut) {
  const std::string much(100'000, 'x');
  for (const auto& answer : {always(ScriptedServer::ok(much)), unmeasured(much)}) {
    const ScriptedServer server(answer);
    auto asked = request(server.url());
    EXPECT_EQ(error_of(asked), ErrorCode::kPayloadTooLarge);
    asked.beyond = Beyond::kDiscard;
    const auto cut = client_.send(asked, never);
    ASSERT_TRUE(cut) << cut.error().message;
    EXPECT_EQ(cut->body, much.substr(0, 1000));
    asked.beyond = Beyond::kFail;
    asked.max_bytes = much.size();
    const auto whole = client_.send(asked, never);
    ASSERT_TRUE(whole) << whole.error().message;
    EXPECT_EQ(whole->body, much);
  }
}

TEST_F(NetHttpClientTest, FollowsRedirectsOnlyWhenItMayAndKeepsTheTokenFromOtherHosts) {
  const ScriptedServer second(always(ScriptedServer::ok("second")));
  const ScriptedServer first(always(moved_to(second.url())));
  auto asked = request(first.url());
  asked.bearer = "s3cret";
  EXPECT_EQ(client_.send(asked, never).value_or(HttpAnswer()).status, 302U);
  EXPECT_TRUE(holds(first.requests().at(0), "\r\nAuthorization: Bearer s3cret\r\n"));
  EXPECT_TRUE(second.requests().empty());
  asked.redirects = true;
  EXPECT_EQ(client_.send(asked, never).value_or(HttpAnswer()).body, "second");
  EXPECT_FALSE(holds(second.requests().at(0), "s3cret"));

  const ScriptedServer circle(always(moved_to("/")));
  asked.url = circle.url();
  EXPECT_EQ(error_of(asked), ErrorCode::kNotFound);
  EXPECT_EQ(circle.requests().size(), 1 + 5U);
}

TEST_F(NetHttpClientTest, TrustsWhatItIsToldAndLeavesTlsForNoRedirect) {
  const auto certificate = test::make_certificate("IP:127.0.0.1");
  const test::TempDir dir;
  std::ofstream((dir.path() / "ca.pem").string()) << certificate.pem;
  const ScriptedServer plain(always(ScriptedServer::ok("plain")));
  const ScriptedServer server(
      [&plain](ScriptedConnection& connection, const std::string& asked) {
        return connection.send(holds(asked, "GET /away ") ? moved_to(plain.url())
                                                          : ScriptedServer::ok("safe"));
      },
      {.tls = certificate.context});
  auto asked = request(server.url());
  EXPECT_EQ(error_of(asked), ErrorCode::kNotFound) << "its certificate is not known";
  asked.ca_file = (dir.path() / "ca.pem").string();
  EXPECT_EQ(client_.send(asked, never).value_or(HttpAnswer()).body, "safe");
  asked.url = server.url("/away");
  asked.redirects = true;
  EXPECT_EQ(error_of(asked), ErrorCode::kInvalidRequest);
  EXPECT_TRUE(plain.requests().empty());
}

TEST_F(NetHttpClientTest, EndsInTimeOrWhenItIsStopped) {
  std::atomic<bool> arrived = false;
  const ScriptedServer stuck([&](ScriptedConnection& connection, const std::string&) {
    arrived = true;
    connection.wait_for_close();
    return false;
  });
  auto asked = request(stuck.url("/?key=s3cret"));
  asked.timeout = milliseconds(50);
  EXPECT_EQ(error_of(asked), ErrorCode::kTimeout);
  arrived = false;
  asked.timeout = std::chrono::hours(1);
  const auto stopped = client_.send(asked, [&] { return arrived.load(); });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kShuttingDown);
}

TEST_F(NetHttpClientTest, ErrorsDoNotQuoteWhatWasAsked) {
  EXPECT_EQ(error_of(request("ftp://127.0.0.1/?key=s3cret")), ErrorCode::kInvalidRequest);
  EXPECT_EQ(error_of(request("http://127.0.0.1:port/?key=s3cret")), ErrorCode::kInvalidRequest);
  EXPECT_EQ(error_of(request("http://127.0.0.1:1/?key=s3cret")), ErrorCode::kNotFound);
  const ScriptedServer silent([](ScriptedConnection&, const std::string&) { return false; });
  EXPECT_EQ(error_of(request(silent.url("/?key=s3cret"))), ErrorCode::kNotFound);
}

TEST_F(NetHttpClientTest, LooksIntoTheEnvironmentForAProxyOnlyWhenItMay) {
  const ScriptedServer proxy(always(ScriptedServer::ok("by proxy")));
  const ScriptedServer server(always(ScriptedServer::ok("directly")));
  ::setenv("http_proxy", proxy.url().c_str(), 1);
  auto asked = request(server.url());
  const auto directly = client_.send(asked, never);
  asked.proxy_of_environment = true;
  const auto by_proxy = client_.send(asked, never);
  ::unsetenv("http_proxy");
  EXPECT_EQ(directly.value_or(HttpAnswer()).body, "directly");
  EXPECT_EQ(by_proxy.value_or(HttpAnswer()).body, "by proxy");
}

}  // namespace
}  // namespace toolway::net
