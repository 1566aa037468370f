#include "cli/client/reach.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/bearer_token.h"
#include "cli/client/http_client.h"
#include "tests/support/connect_proxy.h"
#include "tests/support/scripted_server.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_certificate.h"
#include "tools/http/http_proxy.h"

namespace toolway::cli::client {
namespace {

using test::ScriptedConnection;
using test::ScriptedServer;
using tools::http::HttpEnd;

ScriptedServer::Answer always(std::string bytes) {
  return [bytes = std::move(bytes)](ScriptedConnection& to, const std::string&) {
    return to.send(bytes);
  };
}

std::string refusal(const ClientOptions& options) {
  auto client = HttpClient::create(options);
  if (!client) return client.error().message;
  auto answer = (*client)->request("GET", "/v1/tools");
  return answer ? "answered: " + answer->body : answer.error().message;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Reach, UrlsAreHttpOrHttpsWithAHost) {
  EXPECT_EQ(gateway_url("localhost:8080")->origin(), "http://localhost:8080");
  EXPECT_EQ(gateway_url("https://tools.example.com/")->origin(), "https://tools.example.com");
  EXPECT_EQ(gateway_url("http://[::1]:8080")->origin(), "http://[::1]:8080");
  for (const char* wrong : {"ftp://host", "https://host/path", "https://", "http://host:99999", ""})
    EXPECT_FALSE(gateway_url(wrong)) << wrong;
  const auto secret = gateway_url("https://ann:pw@host");
  ASSERT_FALSE(secret);
  EXPECT_FALSE(has(secret.error().message, "pw"));
}

TEST(Reach, ATokenNeverTravelsInPlainTextBeyondThisMachine) {
  const auto travels = [](const char* url) {
    return check_token_travels(*gateway_url(url), {}).has_value();
  };
  EXPECT_TRUE(travels("https://tools.example.com"));
  EXPECT_TRUE(travels("http://localhost:8080"));
  EXPECT_TRUE(travels("http://127.9.9.9"));
  EXPECT_TRUE(travels("http://[::1]:8080"));
  EXPECT_FALSE(travels("http://tools.example.com"));
  EXPECT_FALSE(travels("http://10.0.0.1"));
  EXPECT_FALSE(travels("http://localhost.example.com"));
  EXPECT_FALSE(travels("http://127.0.0.1.example.com"));
  EXPECT_FALSE(check_token_travels(*gateway_url("http://localhost"), {.url = "http://proxy:1"}))
      << "a proxy reads what is sent through it";
  const auto said = refusal({.url = "http://tools.example.com", .reach = {.token = "s3cret"}});
  EXPECT_TRUE(has(said, "the token was not sent")) << said;
  EXPECT_TRUE(has(said, "Use https://")) << said;
  EXPECT_FALSE(has(said, "s3cret"));
}

TEST(Reach, TokensAreCheckedAndNeverShown) {
  EXPECT_EQ(*checked_token(" abc.DEF-1\r\n", "it"), "abc.DEF-1");
  for (const std::string& wrong :
       {std::string(" \n"), std::string("top secret"), std::string("secret\nX-Toolway-User: root"),
        std::string("secret\x01"), std::string(1 << 20, 's')}) {
    const auto read = checked_token(wrong, "it");
    ASSERT_FALSE(read);
    EXPECT_FALSE(has(read.error().message, "secret"));
    EXPECT_LT(read.error().message.size(), 200U);
  }
  test::TempDir dir;
  EXPECT_TRUE(has(refusal({.reach = {.token_file = (dir.path() / "none").string()}}),
                  "cannot read the token file"));
  const auto file = (dir.path() / "token").string();
  std::ofstream(file) << "from-file\n";
  EXPECT_EQ(*read_token({.token = "other", .token_file = file}), "from-file");
  std::ofstream(file) << std::string(1 << 20, 'x');
  EXPECT_TRUE(has(read_token({.token_file = file}).error().message, "more than 16384 bytes"));
}

TEST(Reach, ProxiesComeFromTheEnvironmentAndFromTheOption) {
  const process::ProxyVariables variables{.http = "plain:1",
                                          .https = "http://ann:pw@secure:2",
                                          .none = "localhost, corp.example ,10.0.0.0/8"};
  const auto via = [&](const char* to, const std::string& option = {}) {
    const auto url = *gateway_url(to);
    const auto proxy = proxy_of({.proxy = option, .variables = variables}, url);
    return proxy ? tools::http::proxy_for(*proxy, url) : proxy.error().message;
  };
  EXPECT_EQ(via("http://a.example"), "http://plain:1");
  EXPECT_EQ(via("https://a.example"), "http://ann:pw@secure:2");
  EXPECT_EQ(via("https://corp.example"), "");
  EXPECT_EQ(via("https://x.corp.example"), "");
  EXPECT_EQ(via("https://xcorp.example"), "http://ann:pw@secure:2");
  EXPECT_EQ(via("http://10.1.2.3"), "");
  EXPECT_EQ(via("http://127.0.0.1:8080"), "");
  EXPECT_EQ(via("http://127.0.0.1:8080", "http://mine:3"), "http://mine:3");
  const auto refused = via("https://a.example", "http://ann:s3cret@mine:3");
  EXPECT_TRUE(has(refused, "put the URL into https_proxy")) << refused;
  EXPECT_FALSE(has(refused, "s3cret"));
  EXPECT_TRUE(has(via("https://a.example", "socks4://mine:3"), "a proxy must be"));
}

TEST(Reach, ACertificateMustBeTrustedAndForThisHost) {
  test::TempDir dir;
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(dir.path() / name) << text;
    return (dir.path() / name).string();
  };
  const auto right = test::make_certificate("IP:127.0.0.1");
  const auto other = test::make_certificate("DNS:other.example");
  const auto expired = test::make_certificate("IP:127.0.0.1", test::Validity::kExpired);
  ScriptedServer server(always(ScriptedServer::ok("hello")), {.tls = right.context});
  ScriptedServer elsewhere(always(ScriptedServer::ok("hello")), {.tls = other.context});
  ScriptedServer old(always(ScriptedServer::ok("hello")), {.tls = expired.context});
  const auto ask = [](const ScriptedServer& of, const std::string& ca) {
    return refusal({.url = of.url(""), .reach = {.token = "s3cret", .ca_file = ca}});
  };
  const auto untrusted = ask(server, "");
  EXPECT_TRUE(has(untrusted, "--ca-file FILE")) << untrusted;
  EXPECT_TRUE(server.requests().empty()) << "nothing is sent to a server that is not trusted";
  EXPECT_EQ(ask(server, write("right.pem", right.pem)), "answered: hello");
  EXPECT_TRUE(has(server.requests().at(0), "Authorization: Bearer s3cret\r\n"));
  const auto wrong_host = ask(elsewhere, write("other.pem", other.pem));
  EXPECT_TRUE(has(wrong_host, "for another host")) << wrong_host;
  const auto late = ask(old, write("old.pem", expired.pem));
  EXPECT_TRUE(has(late, "has expired")) << late;
  EXPECT_TRUE(elsewhere.requests().empty() && old.requests().empty());
  EXPECT_TRUE(has(ask(server, write("none.pem", "text")), "holds no certificate"));
  EXPECT_TRUE(has(ask(server, (dir.path() / "missing.pem").string()), "cannot be read"));
  EXPECT_TRUE(has(refusal({.url = "http" + server.url("").substr(5)}), "write https://"));
}

TEST(Reach, AHeaderIsSentOnce) {
  ScriptedServer server(always(ScriptedServer::ok("{}")));
  auto client = HttpClient::create({.url = server.url(""), .user = "ann"});
  ASSERT_TRUE(client);
  ASSERT_TRUE(
      (*client)->request("POST", "/v1/sessions", "{}",
                         {{"content-type", "application/json"}, {"X-Toolway-User", "bob"}}));
  const auto sent = server.requests().at(0);
  const auto first = sent.find("Content-Type: application/json\r\n");
  ASSERT_NE(first, std::string::npos) << sent;
  EXPECT_FALSE(has(sent, "content-type"));
  EXPECT_TRUE(has(sent, "X-Toolway-User: bob\r\n"));
  EXPECT_FALSE(has(sent, "ann"));
}

TEST(Reach, AProxyCarriesHttpsAndSaysNo) {
  const auto certificate = test::make_certificate("IP:127.0.0.1");
  ScriptedServer server(always(ScriptedServer::ok("hello")), {.tls = certificate.context});
  const auto ask = [&](const ScriptedServer& proxy, const std::string& url) {
    return refusal({.url = url, .reach = {.token = "s3cret", .proxy = proxy.url("")}});
  };
  ScriptedServer asks_who(always(ScriptedServer::status(407)));
  ScriptedServer forbids(always(ScriptedServer::status(403)));
  EXPECT_TRUE(has(ask(asks_who, server.url("")), "user name and a password (407)"));
  EXPECT_TRUE(has(ask(forbids, server.url("")), "refused to connect to it (403)"));
  EXPECT_TRUE(has(ask(asks_who, "http://127.0.0.1:1"), "the token was not sent"));
  EXPECT_TRUE(has(refusal({.url = "http://127.0.0.1:1", .reach = {.proxy = asks_who.url("")}}),
                  "user name and a password (407)"));
  EXPECT_TRUE(asks_who.requests().at(0).starts_with("CONNECT 127.0.0.1:"));
  EXPECT_FALSE(has(asks_who.requests().at(0), "s3cret")) << "the token is for the gateway alone";
  const auto away =
      refusal({.url = "https://tools.example.com", .reach = {.proxy = "127.0.0.1:1"}});
  EXPECT_TRUE(has(away, "Check --proxy")) << away;
  EXPECT_EQ(server.connections(), 0U);
}

TEST(Reach, AConnectProxyCarriesTheAnswerToo) {
  const auto certificate = test::make_certificate("IP:127.0.0.1");
  ScriptedServer server(always(ScriptedServer::ok("hello")), {.tls = certificate.context});
  test::TempDir dir;
  const auto ca = (dir.path() / "ca.pem").string();
  std::ofstream(ca) << certificate.pem;
  test::ConnectProxy proxy;
  EXPECT_EQ(refusal({.url = server.url(""),
                     .reach = {.token = "s3cret", .ca_file = ca, .proxy = proxy.url()}}),
            "answered: hello");
  EXPECT_EQ(proxy.asked_for(), "127.0.0.1:" + std::to_string(server.port()));
  EXPECT_TRUE(has(server.requests().at(0), "Authorization: Bearer s3cret\r\n"));
}

TEST(Reach, EachFailureHasANextStep) {
  const auto text = [](HttpEnd end, bool proxied = false) {
    return unreached(end, "https://t.example", proxied).message;
  };
  EXPECT_TRUE(
      has(text({.why = HttpEnd::Why::kNotResolved, .message = "no address"}), "Check the host"));
  EXPECT_TRUE(
      has(text({.why = HttpEnd::Why::kNotConnected, .message = "no connection"}), "toolway dev"));
  EXPECT_TRUE(has(text({.why = HttpEnd::Why::kTlsFailed, .message = "TLS"}), "speaks https"));
  EXPECT_EQ(
      unreached({.why = HttpEnd::Why::kTimedOut, .limit = HttpEnd::Limit::kIdle}, "u", false).code,
      ErrorCode::kTimeout);
  EXPECT_EQ(
      unreached({.why = HttpEnd::Why::kTimedOut, .limit = HttpEnd::Limit::kConnect}, "u", false)
          .code,
      ErrorCode::kBusUnavailable);
}

}  // namespace
}  // namespace toolway::cli::client
