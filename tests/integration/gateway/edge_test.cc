// What a client may send at all, over real sockets: bounds, smuggling, browsers, who a user is.
#include <thread>

#include "tests/integration/gateway/gateway_fixture.h"
#include "tests/integration/gateway/http_client.h"

namespace toolway {
namespace {

using test::body;
using test::status;

class GatewayEdge : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(memory_->provision({.pools = {{"native", 1}}}));
    store_ = std::make_unique<test::MemoryStore>(*memory_);
  }
  void start(gateway::GatewayOptions options = {}) {
    options.port = 0;
    gateway_.reset();
    metrics_ = monitoring::make_metrics("gateway");
    auto started =
        gateway::server::start_gateway(*memory_, *store_, live_, *metrics_, clock_, options);
    ASSERT_TRUE(started) << started.error().message;
    gateway_ = std::move(*started);
  }
  static gateway::GatewayOptions trusting() {
    gateway::GatewayOptions options;
    options.edge.trust_user_header = {"loopback"};
    return options;
  }
  static std::string post(const std::string& path, const std::string& body,
                          const std::string& headers = "") {
    return test::http_request("POST " + path, body, headers);
  }
  std::string ask(const std::string& request) {
    test::RawClient client(gateway_->port());
    client.send(request);
    return client.response();
  }
  static std::string code(const std::string& response) { return body(response).value("code", ""); }
  void open(const std::string& headers = "") {
    ASSERT_EQ(201, status(ask(post("/v1/sessions", R"({"session_id":"s","namespaces":["sample"]})",
                                   headers))));
  }
  /// Sends `begin`, and then `more` until an answer comes; that and how much was sent.
  std::pair<std::string, std::size_t> flood(const std::string& begin, const std::string& more) {
    test::RawClient client(gateway_->port());
    client.send(begin);
    std::size_t sent = begin.size();
    while (sent < 4'000'000 && !client.readable(sent > 16'000 ? 20 : 0) && client.try_send(more))
      sent += more.size();
    return {client.rest(), sent};
  }

  std::unique_ptr<bus::InMemoryBus> memory_ = bus::make_in_memory_bus();
  std::unique_ptr<monitoring::Metrics> metrics_;
  SystemClock clock_;
  tools::model::LiveRegistry live_{tools::samples::sample_registry()};
  std::unique_ptr<test::MemoryStore> store_;
  std::unique_ptr<gateway::Gateway> gateway_;
};

TEST_F(GatewayEdge, ClosesWhatHasNoEnd) {
  start();
  const std::string chunked =
      "POST /v1/sessions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
  const std::string a(1000, 'a');
  const std::pair<std::string, std::string> floods[] = {
      {chunked + "1;", a},
      {chunked, "1;" + a + "\r\nx\r\n"},
      {chunked + "0\r\n", "t: " + a + "\r\n"},
      {chunked + "0\r\n", "t: x\r\n"},
      {"GET /", a},
      {"GET / HTTP/1.1\r\nhost: localhost\r\n", "x: " + a + "\r\n"}};
  for (const auto& [begin, more] : floods) {
    const auto [answer, sent] = flood(begin, more);
    EXPECT_EQ(431, status(answer)) << begin;
    EXPECT_NE(std::string::npos, answer.find("connection: close")) << answer;
    EXPECT_LT(sent, 16'384U + 65'536U) << begin;
  }
}

TEST_F(GatewayEdge, ReadsOneRequestWhereAnotherProgramMayReadTwo) {
  start(trusting());
  const std::string inner =
      "GET /v1/sessions HTTP/1.1\r\nhost: localhost\r\nx-toolway-user: bob\r\n\r\n";
  for (const auto* encoding :
       {"xchunked", "identity", "gzip", "chunked, identity", "gzip, chunked"}) {
    test::RawClient client(gateway_->port());
    client.send(
        "POST /v1/sessions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: " +
        std::string(encoding) + "\r\n\r\n" + inner);
    const auto all = client.rest();
    EXPECT_EQ(400, status(all)) << encoding;
    EXPECT_EQ(std::string::npos, all.find("HTTP/1.1 ", 8)) << all;
  }
  for (
      const auto* twice :
      {"host: localhost\r\nhost: localhost\r\n", "x: y\r\n", "host: localhost\r\nx: y\r\n z\r\n",
       "host: localhost\r\nx-toolway-user: ann\r\nX-Toolway-User: bob\r\n",
       "host: localhost\r\nidempotency-key: a\r\nidempotency-key: b\r\n",
       "host: localhost\r\ncontent-type: application/json\r\ncontent-type: application/json\r\n"}) {
    test::RawClient client(gateway_->port());
    client.send("GET /v1/workers HTTP/1.1\r\n" + std::string(twice) + "\r\n" + inner);
    const auto all = client.rest();
    EXPECT_EQ(400, status(all)) << twice;
    EXPECT_EQ(std::string::npos, all.find("HTTP/1.1 ", 8)) << all;
  }
}

TEST_F(GatewayEdge, ATrailerIsNotAHeader) {
  start(trusting());
  open("x-toolway-user: ann\r\n");
  // Without a user of its own the request is anonymous: ann's session does not exist for it.
  const auto answer = ask(
      "POST /v1/sessions/s/close HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
      "transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nx-toolway-user: ann\r\n\r\n");
  EXPECT_EQ("unknown_session", code(answer));
}

TEST_F(GatewayEdge, IgnoresEmptyLinesBeforeARequest) {
  start();
  test::RawClient client(gateway_->port());
  client.send(
      "\r\n\r\nGET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n\r\nGET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n");
  EXPECT_EQ(200, status(client.response()));
  EXPECT_EQ(200, status(client.response()));
}

TEST_F(GatewayEdge, AWebPageCannotDriveIt) {
  start(trusting());
  const std::string open = R"({"namespaces":["sample"]})";
  const auto from_page = [&](const std::string& host, const std::string& headers) {
    return ask("POST /v1/sessions HTTP/1.1\r\nhost: " + host + "\r\ncontent-length: " +
               std::to_string(open.size()) + "\r\n" + headers + "\r\n" + open);
  };
  const std::string json = "content-type: application/json\r\n";
  EXPECT_EQ("host_not_allowed",
            code(from_page(
                "rebound.evil.example:8080",
                json + "origin: http://rebound.evil.example:8080\r\nx-toolway-user: ann\r\n")));
  EXPECT_EQ("origin_not_allowed",
            code(from_page("localhost:8080", json + "origin: https://evil.example\r\n")));
  EXPECT_EQ("origin_not_allowed", code(from_page("localhost:8080", json + "origin: null\r\n")));
  EXPECT_EQ("origin_not_allowed",
            code(from_page("localhost:8080",
                           json + "sec-fetch-site: cross-site\r\nsec-fetch-mode: no-cors\r\n")));
  EXPECT_EQ("unsupported_media_type", code(from_page("localhost:8080", "")));
  EXPECT_EQ("unsupported_media_type",
            code(from_page("localhost:8080", "content-type: text/plain\r\n")));
  EXPECT_EQ(
      "unsupported_media_type",
      code(from_page("localhost:8080", "content-type: application/json; charset=utf-16\r\n")));
  EXPECT_EQ(201, status(from_page(
                     "localhost:8080",
                     json + "origin: http://localhost:8080\r\nsec-fetch-site: same-origin\r\n")));
  EXPECT_EQ(201,
            status(from_page("[::1]:8080", "content-type: application/json; charset=utf-8\r\n")));
  EXPECT_EQ(415, status(ask("POST /v1/sessions/s/calls HTTP/1.1\r\nhost: localhost\r\n\r\n")))
      << "without a body, too";
  const std::string restore = "POST /v1/sessions/s/restore HTTP/1.1\r\nhost: localhost\r\n";
  EXPECT_EQ("unknown_session", code(ask(restore + "\r\n"))) << "it needs none";
  EXPECT_EQ("unsupported_media_type", code(ask(restore + "content-type: text/plain\r\n\r\n")));
  EXPECT_EQ("unsupported_media_type", code(ask(restore + "content-length: 2\r\n\r\n{}")));
  EXPECT_EQ("origin_not_allowed", code(ask(restore + "origin: https://evil.example\r\n\r\n")));
  EXPECT_EQ(
      415,
      status(ask("GET /v1/workers HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}")));
  EXPECT_EQ(
      403,
      status(ask(
          "OPTIONS /v1/sessions HTTP/1.1\r\nhost: localhost\r\norigin: https://evil.example\r\naccess-control-request-method: POST\r\n\r\n")));
}

TEST_F(GatewayEdge, AnAllowedPageMayReadItsAnswers) {
  auto options = trusting();
  options.edge.allow_origins = {"https://app.example"};
  options.edge.allow_hosts = {"tools.internal"};
  start(options);
  const std::string page = "host: tools.internal\r\norigin: https://app.example\r\n";
  const auto preflight =
      ask("OPTIONS /v1/sessions HTTP/1.1\r\n" + page +
          "access-control-request-method: POST\r\naccess-control-request-headers: content-type\r\n"
          "access-control-request-private-network: true\r\n\r\n");
  EXPECT_EQ(204, status(preflight));
  for (const auto* line :
       {"access-control-allow-origin: https://app.example\r\n",
        "access-control-allow-methods: POST, GET, HEAD\r\n",
        "access-control-allow-private-network: true\r\n", "content-type, accept"}) {
    EXPECT_NE(std::string::npos, preflight.find(line)) << preflight;
  }
  EXPECT_EQ(std::string::npos, preflight.find("content-length")) << "a 204 has none";
  for (const auto* path : {"/v1/workers", "/v1/calls/x"}) {  // answers and refusals alike
    const auto answer = ask("GET " + std::string(path) + " HTTP/1.1\r\n" + page + "\r\n");
    EXPECT_NE(std::string::npos,
              answer.find("access-control-allow-origin: https://app.example\r\nvary: origin\r\n"))
        << answer;
  }
  EXPECT_EQ(405, status(ask("OPTIONS /v1/sessions HTTP/1.1\r\nhost: localhost\r\n\r\n")));
  EXPECT_EQ(404, status(ask("OPTIONS /nothing HTTP/1.1\r\n" + page +
                            "access-control-request-method: POST\r\n\r\n")));
}

TEST_F(GatewayEdge, BelievesTheUsersNameOnlyWhereItIsToldTo) {
  start();
  const auto as = [&](const std::string& headers) {
    return ask("GET /v1/workers HTTP/1.1\r\nhost: localhost\r\n" + headers + "\r\n");
  };
  const auto refused = as("x-toolway-user: ann\r\n");
  EXPECT_EQ(400, status(refused)) << "no address is trusted until an option says so";
  EXPECT_NE(std::string::npos, refused.find("--trust-user-header"));
  EXPECT_EQ(200, status(as("")));
  start(trusting());
  EXPECT_EQ(200, status(as("x-toolway-user: ann\r\n")));
  for (const auto* forwarded :
       {"forwarded: for=192.0.2.1\r\n", "x-forwarded-for: 192.0.2.1\r\n", "X-FORWARDED-FOR:\r\n"}) {
    const auto passed_on = as("x-toolway-user: ann\r\n" + std::string(forwarded));
    EXPECT_EQ(400, status(passed_on)) << forwarded;
    EXPECT_NE(std::string::npos, passed_on.find("--trust-user-header"));
    EXPECT_EQ(200, status(as(forwarded))) << "no user is named";
  }
  auto elsewhere = trusting();
  elsewhere.edge.trust_user_header = {"10.0.0.0/8"};
  start(elsewhere);
  EXPECT_EQ(400, status(as("x-toolway-user: ann\r\n")));
}

TEST_F(GatewayEdge, EveryBodyIsStrictJson) {
  start();
  open();
  const std::pair<std::string, std::string> bodies[] = {
      {"/v1/sessions", R"({"metadata":{"k":1,"k":2}})"},
      {"/v1/sessions/s/calls", R"({"tool":"throws","arguments":{"k":5,"k":"second"}})"},
      {"/v1/sessions/s/calls:batch", R"({"calls":[{"tool":"throws","arguments":{"k":1,"k":1}}]})"},
      {"/v1/sessions/s/tool_calls?format=openai", R"({"role":"assistant","k":1,"k":1})"},
      {"/v1/sessions/s/completions:ack", R"({"k":"1","k":"1"})"},
      {"/v1/sessions/s/restore", R"({"k":1,"k":1})"},
      {"/v1/sessions/s/close", R"({"k":1,"k":1})"}};
  for (const auto& [path, text] : bodies) {
    const auto answer = ask(post(path, text));
    EXPECT_EQ("malformed_json", code(answer)) << path;
    EXPECT_NE(std::string::npos, body(answer).value("detail", "").find("\"k\" appears twice"))
        << answer;
  }
  EXPECT_EQ("malformed_json",
            code(ask(post("/v1/sessions/s/calls",
                          std::string(R"({"tool":"throws"})") + '\0' + "garbage"))));
}

TEST_F(GatewayEdge, NumbersInAQueryHaveBounds) {
  start();
  for (const auto* before :
       {"9223372036854775807", "9223372036854775808", "253402300800000000", "0", "-1"}) {
    const auto answer = ask("GET /v1/sessions?before=" + std::string(before) +
                            " HTTP/1.1\r\nhost: localhost\r\n\r\n");
    EXPECT_EQ("invalid_cursor", code(answer)) << before;
  }
  EXPECT_EQ(200,
            status(ask(
                "GET /v1/sessions?before=253402300799999999 HTTP/1.1\r\nhost: localhost\r\n\r\n")));
}

TEST_F(GatewayEdge, AHalfClosedClientGetsItsResult) {
  start();
  open();
  test::Awaited<v1::CallRequest> accepted;
  auto pull = memory_->pull({"CALLS", proto::call_durable("native", proto::Lane::kNormal, 0)},
                            [got = accepted.callback()](bus::Delivery delivery) {
                              if (auto call = proto::decode_call(delivery.payload)) got(*call);
                              delivery.ack();
                            });
  pull->allow(1);
  test::RawClient client(gateway_->port());
  client.send(post("/v1/sessions/s/calls", R"({"tool":"throws"})", "prefer: wait=20\r\n"));
  client.half_close();
  const auto call = accepted.next();
  ASSERT_TRUE(call);
  // The end of what it says has been seen by the time others were answered.
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(200, status(ask("GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n")));
  EXPECT_FALSE(client.readable(0)) << "it was answered before its call ended";
  auto event = test::completion_of(*call);
  event.mutable_completed()->set_started_at_us(1);
  event.mutable_completed()->set_result("42");
  memory_->publish({.subject = test::event_subject_of(*call), .payload = proto::encode(event)},
                   [](const Result<bus::PubAck>& ack) { EXPECT_TRUE(ack); });
  const auto answer = client.response();
  EXPECT_EQ(200, status(answer));
  EXPECT_EQ("42", body(answer).value("result", Json()).dump());
}

TEST_F(GatewayEdge, OneUserCannotHaveAllRequests) {
  auto options = trusting();
  options.edge.requests_per_user = 1;
  start(options);
  open("x-toolway-user: ann\r\n");
  test::RawClient waits(gateway_->port());
  waits.send(post("/v1/sessions/s/calls", R"({"tool":"throws"})",
                  "x-toolway-user: ann\r\nprefer: wait=30\r\n"));
  const auto as = [&](const std::string& user, const std::string& path = "/v1/workers") {
    return ask("GET " + path + " HTTP/1.1\r\nhost: localhost\r\nx-toolway-user: " + user +
               "\r\n\r\n");
  };
  std::string answer;
  do answer = as("ann");
  while (status(answer) == 200);  // until the call is being waited for
  EXPECT_EQ("overloaded", code(answer));
  EXPECT_EQ(503, status(answer));
  EXPECT_EQ(200, status(as("bob")));
  EXPECT_EQ(200, status(as("ann", "/livez")));
}

TEST_F(GatewayEdge, LargeRequestsShareABudgetAndSmallOnesDoNotNeedIt) {
  gateway::GatewayOptions options;
  options.edge.request_bytes = 200'000;
  start(options);
  const std::string half(100'000, ' ');
  const std::string head =
      "POST /v1/sessions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 400000\r\n\r\n";
  test::RawClient first(gateway_->port());
  first.send(head + half);
  test::RawClient second(gateway_->port());
  second.send(head + half);
  const bool which = second.readable(10'000);
  const auto refused = which ? second.response() : first.response();
  EXPECT_EQ("overloaded", code(refused));
  open();
}

TEST_F(GatewayEdge, AnIdleConnectionTakesNoRoomForRequests) {
  gateway::GatewayOptions options;
  options.edge.request_bytes = 100'000;
  start(options);
  const std::string large =
      "GET /livez HTTP/1.1\r\nhost: localhost\r\nx: " + std::string(9'000, 'x') + "\r\n\r\n";
  const std::string small = "GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n";
  std::vector<std::unique_ptr<test::RawClient>> idle;
  for (int i = 0; i < 50; ++i) {
    idle.push_back(std::make_unique<test::RawClient>(gateway_->port()));
    idle.back()->send(i % 2 == 0 ? large : small);
    ASSERT_EQ(200, status(idle.back()->response())) << i;
  }
  EXPECT_EQ(200, status(ask(large)));
  EXPECT_NE(metrics_->scrape().find("\ntoolway_http_request_bytes 0\n"), std::string::npos);
}

TEST_F(GatewayEdge, IdleConnectionsMakeRoomForOthers) {
  gateway::GatewayOptions options;
  options.max_connections = 4;
  start(options);
  const std::string alive = "GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n";
  std::vector<std::unique_ptr<test::RawClient>> idle;
  for (int i = 0; i < 4; ++i) {
    idle.push_back(std::make_unique<test::RawClient>(gateway_->port()));
    idle.back()->send(alive);
    EXPECT_EQ(200, status(idle.back()->response()));
  }
  EXPECT_EQ(503, status(ask(alive))) << "none has been idle for a second yet";
  const auto deadline = std::chrono::steady_clock::now() + test::kPatience;
  int answered = 0;
  while (answered != 200 && std::chrono::steady_clock::now() < deadline)
    answered = status(ask(alive));
  EXPECT_EQ(200, answered);
  EXPECT_NE(metrics_->scrape().find("toolway_http_connections_evicted_total 1"), std::string::npos);
}

}  // namespace
}  // namespace toolway
