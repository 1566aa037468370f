// Who calls, over real sockets: keys and tokens, what ends with them, and what they do not open.
#include <set>

#include "gateway/wire/route.h"
#include "tests/integration/gateway/auth_fixture.h"

namespace toolway {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using test::body;
using test::status;
using test::TokenSigner;

class GatewayAuth : public test::AskingGateway {
 protected:
  /// Asks until the status is `wanted`; how long that took.
  steady_clock::duration until(int wanted, const std::string& line, const std::string& headers) {
    const auto begun = steady_clock::now();
    while (status(ask(line, "", headers)) != wanted && steady_clock::now() - begun < seconds(10))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(status(ask(line, "", headers)), wanted) << line;
    return steady_clock::now() - begun;
  }
  void open(const std::string& session, const std::string& headers) {
    ASSERT_EQ(201, status(ask("POST /v1/sessions",
                              R"({"session_id":")" + session + R"(","namespaces":["sample"]})",
                              headers)));
  }
  /// Follows a session with a credential that ends soon: what the stream ended with, and when.
  std::pair<std::string, steady_clock::duration> follow(
      const std::string& headers, const std::function<void()>& end = [] {}) {
    test::RawClient client(gateway_->port());
    client.send(test::http_request("GET /v1/sessions/s/events", "",
                                   headers + "accept: text/event-stream\r\n"));
    EXPECT_EQ(200, status(client.read_until("\r\n\r\n")));
    end();
    const auto begun = steady_clock::now();
    auto said = client.read_until("credential_ended");
    return {std::move(said), steady_clock::now() - begun};
  }
};

TEST_F(GatewayAuth, WithoutACredentialOnlyWhatIsPublicIsAnswered) {
  for (const char* line :
       {"GET /v1/sessions", "POST /v1/sessions", "GET /v1/tools", "GET /v1/workers", "GET /metrics",
        "GET /v1/specs", "GET /v1/switches", "GET /v1/calls", "GET /v1/sessions/s/events"}) {
    const auto answer = ask(line, line[0] == 'P' ? "{}" : "");
    EXPECT_EQ(status(answer), 401) << line;
    EXPECT_EQ(code(answer), "unauthenticated") << line;
    EXPECT_NE(answer.find("\r\nwww-authenticate: Bearer realm=\"toolway\"\r\n"), std::string::npos)
        << answer;
  }
  for (const char* line :
       {"GET /livez", "GET /readyz", "GET /openapi.yaml", "GET /errors/unauthenticated"})
    EXPECT_EQ(status(ask(line)), 200) << line;
  EXPECT_EQ(status(ask("GET /nothing")), 404);
  EXPECT_EQ(status(ask("GET /v1/sessions", "", "x-toolway-user: ann\r\n")), 401)
      << "a name proves nothing";
  for (const char* scheme : {"Basic YTpi", "Bearer", "Bearer ", "Bearer a b", "tw_x", ""})
    EXPECT_EQ(status(ask("GET /v1/sessions", "", fmt::format("authorization: {}\r\n", scheme))),
              401)
        << scheme;
}

TEST_F(GatewayAuth, TellsMcpClientsWhoseTokensItTakes) {
  for (const char* path : {"", "/mcp", "/mcp/chat%201"}) {
    const auto answer = ask(fmt::format("GET /.well-known/oauth-protected-resource{}", path));
    ASSERT_EQ(status(answer), 200) << answer;
    const auto document = body(answer);
    EXPECT_TRUE(document["resource"].get<std::string>().starts_with("http://")) << answer;
    EXPECT_TRUE(document["resource"].get<std::string>().ends_with(path)) << answer;
    EXPECT_EQ(document["authorization_servers"], Json({"https://login.example"}));
    EXPECT_EQ(document["bearer_methods_supported"], Json({"header"}));
  }
  EXPECT_EQ(status(ask("POST /.well-known/oauth-protected-resource/mcp", "{}")), 405);
  for (const char* path : {"/mcp", "/mcp/chat%201"}) {
    const auto refused = ask(fmt::format("POST {}", path), "{}");
    EXPECT_EQ(status(refused), 401);
    const auto leads = refused.find("resource_metadata=\"http://");
    ASSERT_NE(leads, std::string::npos) << refused;
    EXPECT_NE(refused.find(fmt::format("/.well-known/oauth-protected-resource{}\"\r\n", path)),
              std::string::npos)
        << refused;
  }
  // No role lets her call anything.
  put_policy("roles:\n  agent: {permissions: ['call:sample.*']}\n");
  const auto key = bearer(add_key("ann"));
  const std::string list = R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{)"
                           R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                           R"("io.modelcontextprotocol/clientCapabilities":{}}}})";
  const auto headers = key + "mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/list\r\n";
  std::string denied;
  for (int i = 0; i < 500 && status(denied) != 403; ++i) {
    denied = ask("POST /v1/sessions",
                 fmt::format(R"({{"session_id":"s{}","namespaces":["*"]}})", i), key);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  denied = ask("POST /mcp", list, headers);
  EXPECT_EQ(status(denied), 403) << denied;
  EXPECT_NE(denied.find("www-authenticate: Bearer error=\"insufficient_scope\", "
                        "scope=\"call:*.*\", resource_metadata=\"http://"),
            std::string::npos)
      << denied;
  public_url_ = "https://tools.example.com";
  start({.keys = true});
  const auto keys = body(ask("GET /.well-known/oauth-protected-resource/mcp"));
  EXPECT_EQ(keys["resource"], "https://tools.example.com/mcp");
  EXPECT_FALSE(keys.contains("authorization_servers")) << "no issuer is believed";
}

TEST_F(GatewayAuth, AKeyIsItsUserUntilItIsRevoked) {
  const auto key = add_key("ann");
  EXPECT_LT(until(200, "GET /v1/sessions", bearer(key)), seconds(2));
  open("s", bearer(key));
  const auto call = ask("POST /v1/sessions/s/calls", R"({"tool":"throws"})", bearer(key));
  EXPECT_EQ(status(call), 202) << call;
  memory_->quiesce();
  const auto request = test::first_call(*memory_);
  EXPECT_EQ(request.tenant_id(), "acme");
  EXPECT_EQ(request.user_id(), "ann");
  EXPECT_EQ(request.principal().key_id(), *extensions::auth::api_key_id(key));
  // Another secret of the same id.
  auto wrong = key;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  const auto refused = ask("GET /v1/sessions", "", bearer(wrong));
  EXPECT_EQ(status(refused), 401);
  EXPECT_NE(refused.find("error=\"invalid_token\""), std::string::npos) << refused;
  revoke(key);
  EXPECT_LT(until(401, "GET /v1/sessions", bearer(key)), seconds(2));
  EXPECT_NE(detail(ask("GET /v1/sessions", "", bearer(key))).find("revoked"), std::string::npos);
}

TEST_F(GatewayAuth, AnExpiredKeyOpensNothing) {
  v1::ApiKeyRecord record;
  record.set_expires_at_us(to_unix_us(clock_.wall() - seconds(1)));
  const auto answer = ask("GET /v1/sessions", "", bearer(add_key("ann", record)));
  EXPECT_EQ(status(answer), 401);
  EXPECT_NE(detail(answer).find("expired"), std::string::npos);
}

TEST_F(GatewayAuth, AStreamEndsWithItsCredential) {
  const auto key = add_key("ann");
  open("s", bearer(key));
  const auto [said, took] = follow(bearer(key), [&] { revoke(key); });
  EXPECT_NE(said.find("event: reconnect"), std::string::npos) << said;
  EXPECT_LT(took, seconds(5));
  v1::ApiKeyRecord soon;
  soon.set_expires_at_us(to_unix_us(clock_.wall() + seconds(2)));
  const auto [of_expired, after] = follow(bearer(add_key("ann", soon)));
  EXPECT_NE(of_expired.find("credential_ended"), std::string::npos) << of_expired;
  EXPECT_LT(after, seconds(7)) << "two until it expires, five until the stream ends";
  // A token's time has 60 s of skew.
  const auto [of_token, later] = follow(bearer(ec_.sign(claims(-58), "ES256")));
  EXPECT_NE(of_token.find("credential_ended"), std::string::npos) << of_token;
  EXPECT_LT(later, seconds(7));
}

TEST_F(GatewayAuth, ATokenIsItsUserAndIsCheckedOnce) {
  const auto token = good();
  EXPECT_EQ(status(ask("GET /v1/sessions", "", bearer(token))), 200);
  open("s", bearer(token));
  EXPECT_EQ(status(ask("GET /v1/sessions/s", "", bearer(add_key("ann")))), 200)
      << "the same user, by a key";
  EXPECT_EQ(status(ask("GET /v1/sessions/s", "", bearer(ec_.sign(with("sub", "bob"), "ES256")))),
            404);
  EXPECT_EQ(status(ask("GET /v1/sessions", "", bearer(token) + "x-toolway-user: ann\r\n")), 200);
  const auto twofold = ask("GET /v1/sessions", "", bearer(token) + "x-toolway-user: bob\r\n");
  EXPECT_EQ(status(twofold), 400);
  EXPECT_NE(detail(twofold).find("X-Toolway-User"), std::string::npos);
}

TEST_F(GatewayAuth, OfTwoCredentialsNoneCounts) {
  const auto ann = add_key("ann");
  const auto bob = add_key("bob");
  const auto with_key = [&](const std::string& first, const std::string& key) {
    return ask("GET /v1/sessions", "", first + "x-api-key: " + key + "\r\n");
  };
  EXPECT_EQ(status(with_key("", ann)), 200);
  EXPECT_EQ(status(with_key(bearer(ann), ann)), 200) << "one, twice";
  EXPECT_EQ(status(with_key(bearer(ann), "sk-ant-of-another-service")), 200);
  for (const auto& first : {bob, good()}) {
    const auto two = with_key(bearer(first), ann);
    EXPECT_EQ(status(two), 400);
    EXPECT_NE(detail(two).find("X-Api-Key"), std::string::npos) << two;
  }
  EXPECT_EQ(status(with_key(bearer("tw_wrong"), ann)), 401);
}

TEST_F(GatewayAuth, KeysOfAnIssuerChangeWithoutARestart) {
  const auto token = good();
  EXPECT_EQ(status(ask("GET /v1/sessions", "", bearer(token))), 200);
  const auto before = fetched();
  const auto next = TokenSigner::ec("P-256", "next");
  serve({next.jwk()});
  // The first token of the new key makes it known; the old one's are refused from then on.
  EXPECT_EQ(status(ask("GET /v1/sessions", "", bearer(next.sign(claims(), "ES256")))), 200);
  EXPECT_EQ(fetched(), before + 1);
  EXPECT_EQ(status(ask("GET /v1/sessions", "", bearer(token))), 401) << "it was known";
  const auto third = TokenSigner::ec("P-256", "third");
  serve({next.jwk(), third.jwk()});
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(status(ask("GET /v1/sessions", "", bearer(third.sign(claims(), "ES256")))), 401);
  EXPECT_EQ(fetched(), before + 1) << "unknown keys are looked for every 30 s at most";
}

TEST_F(GatewayAuth, WrongTokensRunOutAndKnownOnesDoNot) {
  const auto token = good();
  ASSERT_EQ(status(ask("GET /v1/sessions", "", bearer(token))), 200);
  const auto other = TokenSigner::ec("P-256", "ec");
  int checked = 0;
  std::string limited;
  for (int i = 0; i < 200; ++i) {
    auto answer = ask("GET /v1/sessions", "", bearer(other.sign(with("jti", i), "ES256")));
    if (status(answer) == 401)
      ++checked;
    else
      limited = std::move(answer);
  }
  EXPECT_EQ(status(limited), 429);
  EXPECT_EQ(code(limited), "rate_limited");
  EXPECT_NE(limited.find("\r\nretry-after: 1\r\n"), std::string::npos) << limited;
  EXPECT_LT(checked, 150) << "40 at once, and 10 a second";
  EXPECT_EQ(status(ask("GET /v1/sessions", "", bearer(token))), 200);
  EXPECT_EQ(status(ask("GET /v1/sessions", "", bearer(add_key("ann")))), 200);
  EXPECT_LT(until(200, "GET /v1/sessions", bearer(ec_.sign(with("jti", "new"), "ES256"))),
            seconds(3));
}

TEST_F(GatewayAuth, OperatorsRoutesNeedARoleOrTheToken) {
  v1::ApiKeyRecord record;
  record.add_roles("operator");
  const auto role = add_key("root", record);
  const auto plain = add_key("ann");
  EXPECT_EQ(status(ask("GET /v1/switches", "", bearer(plain))), 403);
  EXPECT_EQ(status(ask("GET /v1/switches", "", bearer(role))), 403)
      << "without a policy no role grants anything";
  EXPECT_EQ(status(ask("GET /v1/switches", "", bearer("the-operators-token"))), 200);
  EXPECT_EQ(status(ask("GET /v1/switches", "", bearer("the-operators-tokeN"))), 401);
  EXPECT_EQ(status(ask("GET /metrics", "", bearer(plain))), 403) << "no role says so";
  EXPECT_EQ(status(ask("GET /metrics", "", bearer("the-operators-token"))), 200);
  put_policy(
      "roles:\n  operator: {permissions: ['switches:*', 'metrics:read']}\n"
      "  agent: {permissions: ['call:sample.*']}\ndefault_roles: agent\n");
  EXPECT_LT(until(200, "GET /v1/switches", bearer(role)), seconds(2));
  EXPECT_EQ(status(ask("GET /v1/specs", "", bearer(role))), 403) << "another permission";
  EXPECT_EQ(status(ask("GET /v1/switches", "", bearer(plain))), 403);
  EXPECT_EQ(status(ask("GET /metrics", "", bearer(plain))), 403);
  EXPECT_EQ(status(ask("GET /metrics", "", bearer(role))), 200);
  EXPECT_EQ(status(ask("GET /v1/workers", "", bearer(plain))), 403);
}

TEST_F(GatewayAuth, OnlyTheChosenMethodsAreTaken) {
  const auto key = add_key("ann");
  const auto token = good();
  start({.keys = true});
  EXPECT_EQ(status(ask("GET /v1/sessions", "", bearer(key))), 200);
  const auto no_token = ask("GET /v1/sessions", "", bearer(token));
  EXPECT_EQ(status(no_token), 401);
  EXPECT_NE(detail(no_token).find("toolway keys create"), std::string::npos);
  start({.jwt = true});
  EXPECT_EQ(status(ask("GET /v1/sessions", "", bearer(token))), 200);
  const auto no_key = ask("GET /v1/sessions", "", bearer(key));
  EXPECT_EQ(status(no_key), 401);
  EXPECT_NE(detail(no_key).find("no API keys"), std::string::npos);
}

TEST_F(GatewayAuth, WhatCameOfItIsCounted) {
  const auto key = add_key("ann");
  ask("GET /v1/sessions", "", bearer(key));
  ask("GET /v1/sessions", "", bearer(good()));
  ask("GET /v1/sessions", "", bearer("the-operators-token"));
  ask("GET /v1/sessions");
  ask("GET /v1/sessions", "", bearer("a.b.c"));
  revoke(key);
  until(401, "GET /v1/sessions", bearer(key));
  const auto page = metrics_->scrape();
  for (const char* series :
       {R"({method="key",result="ok"})", R"({method="jwt",result="ok"})",
        R"({method="operator",result="ok"})", R"({method="none",result="missing"})",
        R"({method="jwt",result="invalid"})", R"({method="key",result="revoked"})"})
    EXPECT_NE(page.find(std::string("toolway_auth_total") + series), std::string::npos) << series;
}

/// Each route, with identifiers of another: of another user, another tenant's user of the same
/// name, and another user of another tenant.
/// Whether each route about a session or a call is asked; over MCP a path says less.
void expect_every_route(const std::vector<std::pair<std::string, std::string>>& requests) {
  std::set<gateway::wire::Route> asked;
  for (const auto& [line, sent] : requests) {
    const auto blank = line.find(' ');
    const auto path = line.substr(blank + 1, line.find('?') - blank - 1);
    const auto matched = gateway::wire::match_route(line.substr(0, blank), path);
    if (matched) asked.insert(matched->route);
  }
  for (std::size_t i = 0; i < gateway::wire::kRoutes; ++i) {
    const auto route = static_cast<gateway::wire::Route>(i);
    const auto name = gateway::wire::route_name(route);
    const bool identified =
        name.find("/v1/") != std::string_view::npos &&
        (name.find("{s}") != std::string_view::npos || name.find("{c}") != std::string_view::npos);
    EXPECT_EQ(asked.contains(route), identified) << name;
  }
}

TEST_F(GatewayAuth, WhatIsAnothersIsNotThere) {
  const auto owner = add_key("ann");
  open("s", bearer(owner));
  const auto called = ask("POST /v1/sessions/s/calls", R"({"tool":"throws"})", bearer(owner));
  ASSERT_EQ(status(called), 202) << called;
  const auto call = body(called)["call_id"].get<std::string>();
  memory_->quiesce();
  v1::ApiKeyRecord elsewhere;
  elsewhere.set_tenant_id("zorg");
  const std::vector<std::pair<std::string, std::string>> requests{
      {"POST /v1/sessions/s/calls", R"({"tool":"throws"})"},
      {"POST /v1/sessions/s/calls:batch", R"({"calls":[{"tool":"throws"}]})"},
      {"POST /v1/sessions/s/tool_calls?format=openai",
       R"({"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"sample__throws","arguments":"{}"}}]})"},
      {"GET /v1/sessions/s/calls", ""},
      {"GET /v1/sessions/s/events", ""},
      {"GET /v1/sessions/s/events?after=0", ""},
      {"GET /v1/sessions/s/completions", ""},
      {"POST /v1/sessions/s/completions:ack", R"({"cursor":"0"})"},
      {"POST /v1/sessions/s/close", R"({"pending":"detach"})"},
      {"POST /v1/sessions/s/restore", "{}"},
      {"POST /v1/sessions/s/namespaces", R"({"namespaces":["sample"]})"},
      {"GET /v1/sessions/s", ""},
      {"HEAD /v1/sessions/s", ""},
      {"GET /v1/sessions/s/tools", ""},
      {"GET /v1/sessions/s/tools?format=openai", ""},
      {"GET /v1/calls/" + call, ""},
      {"GET /v1/calls/" + call + "/events", ""},
      {"GET /v1/calls/" + call + "/result", ""},
      {"POST /v1/calls/" + call + "/cancel", "{}"},
      {"GET /v1/calls/" + call + "/explain", ""},
      {"POST /v1/calls/" + call + "/approve", "{}"},
      {"POST /v1/calls/" + call + "/deny", R"({"reason":"mine"})"},
      {"POST /v1/calls/" + call + "/input", R"({"answers":{"q":{"action":"decline"}}})"},
      {"GET /v1/sessions/s/messages", ""},
      {"POST /v1/sessions/s/messages", R"({"content":"hi"})"},
      {"POST /v1/sessions/s/conversations", R"({"messages":[]})"},
      {"POST /v1/sessions/s/stop", ""},
      {"GET /v1/sessions/s/export", ""},
      {"DELETE /v1/sessions/s", ""}};
  expect_every_route(requests);
  int attempts = 0;
  for (const auto& other : {add_key("bob"), add_key("ann", elsewhere), add_key("bob", elsewhere)}) {
    for (const auto& [line, sent] : requests) {
      test::RawClient client(gateway_->port());
      client.send(test::http_request(line, sent, bearer(other)));
      const auto head = client.read_until("\r\n\r\n");
      EXPECT_EQ(status(head), 404) << line;
      ++attempts;
    }
    EXPECT_EQ(body(ask("GET /v1/sessions", "", bearer(other)))["sessions"], Json::array());
    EXPECT_EQ(ask("GET /v1/calls", "", bearer(other)).find(call), std::string::npos);
    EXPECT_EQ(ask("GET /v1/approvals", "", bearer(other)).find(call), std::string::npos);
    attempts += 3;
  }
  EXPECT_GE(attempts, 60);
  // Over MCP the path names a session of the caller's own, and opens none.
  const auto eve = bearer(add_key("eve"));
  const auto over_mcp = ask("POST /mcp/s",
                            R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{)"
                            R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                            R"("io.modelcontextprotocol/clientCapabilities":{}}}})",
                            eve + "mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/list\r\n");
  EXPECT_EQ(status(over_mcp), 404) << over_mcp;
  EXPECT_EQ(status(ask("GET /v1/sessions/s", "", eve)), 404);
  EXPECT_EQ(status(ask("GET /v1/calls/" + call, "", bearer(owner))), 200) << "it is still there";
  EXPECT_EQ(body(ask("GET /v1/sessions/s", "", bearer(owner)))["state"], "open");
}

}  // namespace
}  // namespace toolway
