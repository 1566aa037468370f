#include "gateway/edge/web_guard.h"

#include <gtest/gtest.h>

namespace toolway::gateway::edge {
namespace {

WebGuard guard(const WebGuard::Rules& rules) { return *WebGuard::create(rules); }
const WebGuard::Rules kLoopback{
    .bind_host = "127.0.0.1", .loopback = true, .allow_hosts = {}, .allow_origins = {}};
const WebGuard::Rules kEverywhere{
    .bind_host = "0.0.0.0", .loopback = false, .allow_hosts = {}, .allow_origins = {}};

WebFacts from(std::string_view host, std::optional<std::string_view> origin = std::nullopt,
              std::string_view site = "", std::string_view mode = "",
              std::string_view method = "POST") {
  return {.method = method, .host = host, .origin = origin, .fetch_site = site, .fetch_mode = mode};
}

/// 200, or the status of the refusal.
unsigned asked(const WebGuard& of, const WebFacts& facts) {
  const auto admitted = of.admit(facts);
  return admitted ? 200 : wire::status_of(admitted.error());
}

TEST(WebGuard, ALoopbackGatewayHasTheNamesOfLoopback) {
  const auto own = guard(kLoopback);
  for (const auto* host :
       {"localhost", "localhost:8080", "LOCALHOST.:1", "127.0.0.1:8080", "[::1]:8080"}) {
    EXPECT_EQ(asked(own, from(host)), 200U) << host;
  }
  for (const auto* host : {"rebound.evil.example", "localhost.evil.example:8080",
                           "127.0.0.1.nip.io", "10.0.0.1", "127.0.0.2", ""}) {
    EXPECT_EQ(asked(own, from(host)), 421U) << host;
  }
  EXPECT_EQ(asked(own, {.method = "GET", .host = "evil.example", .about_us = true}), 421U);
  EXPECT_EQ(asked(own, {.method = "GET", .host = std::nullopt}), 200U)
      << "no browser speaks HTTP/1.0";
}

TEST(WebGuard, AllowedHostsAreServedBesides) {
  auto rules = kLoopback;
  rules.allow_hosts = {"tools.internal", "other:81"};
  const auto named = guard(rules);
  EXPECT_EQ(asked(named, from("Tools.internal:9")), 200U);
  EXPECT_EQ(asked(named, from("other:81")), 200U);
  EXPECT_EQ(asked(named, from("other:82")), 421U);
  EXPECT_EQ(asked(named, from("localhost")), 200U);
  rules.allow_hosts = {"*"};
  EXPECT_EQ(asked(guard(rules), from("anything")), 200U);
  rules.bind_host = "127.0.0.5";
  rules.allow_hosts = {};
  EXPECT_EQ(asked(guard(rules), from("127.0.0.5:8080")), 200U);
}

TEST(WebGuard, ElsewhereHostsCountOnceOneIsNamed) {
  EXPECT_EQ(asked(guard(kEverywhere), from("anything")), 200U);
  auto rules = kEverywhere;
  rules.allow_hosts = {"api.example"};
  const auto named = guard(rules);
  EXPECT_EQ(asked(named, from("api.example")), 200U);
  EXPECT_EQ(asked(named, from("anything")), 421U);
  EXPECT_EQ(asked(named, {.method = "GET", .host = "10.1.2.3:8080", .about_us = true}), 200U)
      << "probes ask by address";
}

TEST(WebGuard, PagesOfOtherOriginsAreRefused) {
  const auto own = guard(kLoopback);
  EXPECT_EQ(asked(own, from("localhost:8080", "http://localhost:8080")), 200U);
  for (const auto* origin :
       {"https://evil.example", "null", "http://localhost:3000", "http://localhost", "", "http://",
        "chrome-extension://localhost:8080", "file://localhost:8080"}) {
    EXPECT_EQ(asked(own, from("localhost:8080", origin)), 403U) << origin;
  }
  EXPECT_EQ(asked(guard(kEverywhere), from("api.example", "https://api.example")), 200U)
      << "behind a proxy with TLS";
  EXPECT_EQ(asked(guard(kEverywhere), from("api.example", "https://evil.example")), 403U);
  EXPECT_EQ(asked(guard(kEverywhere), from("", "http://")), 403U);
}

TEST(WebGuard, ReadsWhatBrowsersSayWithoutAnOrigin) {
  const auto own = guard(kLoopback);
  EXPECT_EQ(asked(own, from("localhost", std::nullopt, "cross-site", "no-cors", "GET")), 403U)
      << "an image";
  EXPECT_EQ(asked(own, from("localhost", std::nullopt, "same-site", "no-cors", "GET")), 403U);
  EXPECT_EQ(asked(own, from("localhost", std::nullopt, "cross-site", "navigate", "GET")), 200U)
      << "a link";
  EXPECT_EQ(asked(own, from("localhost", std::nullopt, "cross-site", "navigate", "POST")), 403U)
      << "a form";
  EXPECT_EQ(asked(own, from("localhost", std::nullopt, "same-origin", "cors", "GET")), 200U);
  EXPECT_EQ(asked(own, from("localhost", std::nullopt, "none", "navigate", "GET")), 200U);
}

TEST(WebGuard, AllowedOriginsAreToldTo) {
  auto rules = kLoopback;
  rules.allow_origins = {"https://app.example", "null"};
  const auto open = guard(rules);
  EXPECT_EQ(open.admit(from("localhost", "https://app.example", "cross-site", "cors")).value(),
            "https://app.example");
  EXPECT_EQ(open.admit(from("localhost", "null")).value(), "null");
  EXPECT_EQ(open.admit(from("localhost", "http://localhost")).value(), "")
      << "its own page needs no word";
  EXPECT_EQ(asked(open, from("localhost", "http://app.example")), 403U);
  EXPECT_EQ(asked(open, from("evil.example", "https://app.example")), 421U)
      << "the host counts first";
  rules.allow_origins = {"*"};
  EXPECT_EQ(guard(rules).admit(from("localhost", "https://any.example")).value(),
            "https://any.example");
}

TEST(WebGuard, NamesTheOptionThatCannotBeRead) {
  for (const auto* host : {"a b", "http://x", "*.example", ""}) {
    auto rules = kLoopback;
    rules.allow_hosts = {host};
    const auto made = WebGuard::create(rules);
    ASSERT_FALSE(made) << host;
    EXPECT_NE(made.error().message.find("--allow-host"), std::string::npos);
  }
  for (const auto* origin : {"app.example", "https://app.example/", "https://", "ftp://x", ""}) {
    auto rules = kLoopback;
    rules.allow_origins = {origin};
    const auto made = WebGuard::create(rules);
    ASSERT_FALSE(made) << origin;
    EXPECT_NE(made.error().message.find("--allow-origin"), std::string::npos);
  }
}

TEST(CorsHeaders, LetAPageSpeakMcp) {
  const auto asked = preflight_headers("https://app.example", "POST", false);
  for (const char* header : {"mcp-session-id", "mcp-protocol-version", "mcp-method", "mcp-name",
                             "authorization", "idempotency-key"})
    EXPECT_NE(asked.find(header), std::string::npos) << header;
  const auto answered = cors_headers("https://app.example");
  for (const char* header : {"mcp-session-id", "www-authenticate"})
    EXPECT_NE(answered.find(header), std::string::npos) << header;
}

TEST(CorsHeaders, ParametersThatToolsNameMayBeSent) {
  const auto allowed = [](std::string_view asked) {
    const auto lines = preflight_headers("https://app.example", "POST", false, asked);
    const auto begin = lines.find("mcp-name") + 8;
    return lines.substr(begin, lines.find("\r\n", begin) - begin);
  };
  EXPECT_EQ(allowed("content-type, Mcp-Param-City ,mcp-param-a_b,cookie"),
            ", mcp-param-city, mcp-param-a_b");
  EXPECT_EQ(allowed("mcp-param-,mcp-param-a b,mcp-param-\r\nx: y,,"), "");
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "mcp-param-x,";
  EXPECT_LT(allowed(many).size(), 1000U);
}

}  // namespace
}  // namespace toolway::gateway::edge
