#include "tests/integration/gateway/gateway_fixture.h"
#include "tests/integration/gateway/http_client.h"

namespace toolway {
namespace {

using test::body;
using test::status;

class GatewayHttp : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(memory_->provision({.pools = {{"native", 1}}}));
    store_ = std::make_unique<test::MemoryStore>(*memory_);
    gateway_ = start();
  }
  std::unique_ptr<gateway::Gateway> start() {
    gateway::GatewayOptions options{.port = 0};
    options.accept_deadline = std::chrono::milliseconds(100);
    options.read_timeout = std::chrono::seconds(1);
    options.edge.trust_user_header = {"loopback"};
    auto started = gateway::server::start_gateway(bus_, *store_, live_, *metrics_, clock_, options);
    EXPECT_TRUE(started) << started.error().message;
    return std::move(*started);
  }
  std::string ask(const std::string& line, const std::string& body = "",
                  const std::string& headers = "") {
    return test::ask(gateway_->port(), line, body, headers);
  }
  void open(const std::string& id = "s") {
    ASSERT_EQ(201, status(ask("POST /v1/sessions",
                              R"({"session_id":")" + id + R"(","namespaces":["sample"]})")));
    ask("POST /v1/sessions/" + id + "/calls", R"({"tool":"throws"})");
    memory_->quiesce();
    session_ = *SessionKey::parse(test::first_call(bus_).session_key());
  }
  void publish(const CallId& call, std::uint32_t seq, bool completed, bool merged = false) {
    v1::CallEvent event;
    event.set_call_id(call.text());
    event.set_tenant_id("default");
    event.set_user_id("anonymous");
    event.set_session_id("s");
    event.set_session_key(session_.text());
    event.set_attempt(1);
    event.set_seq(seq);
    event.set_time_us(to_unix_us(clock_.wall()));
    if (completed) {
      event.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
      event.mutable_completed()->set_started_at_us(1);
      event.mutable_completed()->set_merged_start(merged);
    } else {
      event.mutable_started()->set_started_at_us(1);
    }
    test::Awaited<Result<bus::PubAck>> ack;
    bus_.publish({.subject = proto::event_subject(session_, call), .payload = proto::encode(event)},
                 ack.callback());
    const auto acked = ack.next();
    ASSERT_TRUE(acked && *acked);
  }
  /// Reads SSE events until `count` came; their ids.
  static std::vector<std::string> ids(test::RawClient& client, std::size_t count) {
    std::vector<std::string> found;
    while (found.size() < count) {
      if (client.read_until("\nid: ").empty()) break;
      std::string id = client.read_until("\n");
      if (id.empty()) break;
      id.pop_back();
      found.push_back(id);
    }
    return found;
  }

  std::unique_ptr<bus::InMemoryBus> memory_ = bus::make_in_memory_bus();
  test::LossyBus bus_{*memory_};
  std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("gateway");
  SystemClock clock_;
  tools::model::LiveRegistry live_{tools::samples::sample_registry()};
  std::unique_ptr<test::MemoryStore> store_;
  std::unique_ptr<gateway::Gateway> gateway_;
  SessionKey session_;
};

TEST_F(GatewayHttp, RefusesBadInput) {
  open();
  const std::string calls = "POST /v1/sessions/s/calls";
  const auto code = [](const std::string& response) { return body(response)["code"]; };
  EXPECT_EQ("malformed_json", code(ask(calls, "{")));
  EXPECT_EQ("malformed_json", code(ask(calls, "{\"tool\":\"\xff\"}")));
  EXPECT_EQ("malformed_json", code(ask(calls, std::string(5000, '['))));
  EXPECT_EQ("invalid_request", code(ask(calls, R"({"tool":7})")));
  const auto violation = body(ask(calls, R"({"tool":"throws","arguments":{"message":7}})"));
  EXPECT_EQ("invalid_arguments", violation["code"]);
  EXPECT_EQ("/message", violation["errors"][0]["path"]);
  EXPECT_EQ("unknown_tool", code(ask(calls, R"({"tool":"throw"})")));
  EXPECT_EQ("unknown_session", code(ask("GET /v1/sessions/other")));
  for (const auto* id : {"a%20b", "%2A", "%3E", "a%2Fb", "a%0D%0Ab", "%C3%A9", ""}) {
    EXPECT_EQ(400, status(ask(std::string("GET /v1/sessions/") + id))) << id;
  }
  EXPECT_EQ(400, status(ask("GET /v1/sessions/" + std::string(129, 'a'))));
  EXPECT_EQ("invalid_cursor", code(ask("GET /v1/sessions/s/events?after=x")));
  EXPECT_EQ(400, status(ask("GET /v1/sessions/s/events", "", "last-event-id: 1-\r\n")));
  EXPECT_EQ(404, status(ask("GET /nothing")));
  const auto method = ask("DELETE /v1/sessions");
  EXPECT_EQ(405, status(method));
  EXPECT_NE(std::string::npos, method.find("\r\nallow: "));
  EXPECT_EQ(415, status(ask(calls, "{}", "content-type: text/plain\r\n")));
  EXPECT_EQ(431, status(ask("GET /livez", "", "x: " + std::string(20'000, 'x') + "\r\n")));
  EXPECT_EQ(400, status(ask("\x01\x02 nothing")));
  test::RawClient large(gateway_->port());
  large.send("POST /v1/sessions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9000000\r\n\r\n");
  EXPECT_EQ(413, status(large.response()));
  for (const auto* path : {"/v1/sessions", "/v1/sessions/s/close", "/v1/sessions/s/restore",
                           "/v1/sessions/s/completions:ack", "/v1/calls/c/cancel"}) {
    EXPECT_EQ(413, status(ask(std::string("POST ") + path, "{" + std::string(65'535, ' ') + "}")))
        << path;
  }
}

TEST_F(GatewayHttp, OpensOnceAndKeepsUsersApart) {
  open();
  EXPECT_EQ(200, status(ask("POST /v1/sessions", R"({"session_id":"s","namespaces":["sample"]})")));
  EXPECT_EQ(409, status(ask("POST /v1/sessions", R"({"session_id":"s","namespaces":["other"]})")));
  EXPECT_EQ(404, status(ask("GET /v1/sessions/s", "", "x-toolway-user: bob\r\n")));
  const auto other = start();
  test::RawClient second(other->port());
  second.send(test::http_request("GET /v1/sessions/s"));
  EXPECT_EQ(200, status(second.response()));
}

TEST_F(GatewayHttp, RefusesOnlyTheWrongCallsOfABatch) {
  open();
  const auto mixed =
      ask("POST /v1/sessions/s/calls:batch", R"({"calls":[{"tool":"throws"},{"tool":"nothing"}]})");
  EXPECT_EQ(202, status(mixed));
  EXPECT_EQ("queued", body(mixed)["calls"][0]["status"]);
  EXPECT_EQ("refused", body(mixed)["calls"][1]["status"]);
  EXPECT_EQ(422,
            status(ask("POST /v1/sessions/s/calls:batch", R"({"calls":[{"tool":"nothing"}]})")));
}

TEST_F(GatewayHttp, ABatchThatMayOrMayNotRunMustBeSentAgain) {
  open();
  const std::string batch = "POST /v1/sessions/s/calls:batch";
  bus_.drop_acks = true;
  const auto unknown = ask(batch, R"({"calls":[{"tool":"nothing"},{"tool":"throws"}]})");
  EXPECT_EQ(503, status(unknown)) << unknown;
  EXPECT_NE(std::string::npos, unknown.find("\r\nretry-after: ")) << unknown;
  EXPECT_NE(std::string::npos, unknown.find("application/problem+json"));
  EXPECT_EQ("accept_unknown", body(unknown)["code"]);
  EXPECT_EQ(503, body(unknown)["status"]);
  ASSERT_EQ(2U, body(unknown)["calls"].size());
  EXPECT_EQ("unknown_tool", body(unknown)["calls"][0]["error"]["code"]);
  EXPECT_TRUE(CallId::parse(body(unknown)["calls"][1]["error"]["call_id"].get<std::string>()));
  bus_.drop_acks = false;
  memory_->disconnect();
  const auto away = ask(batch, R"({"calls":[{"tool":"nothing"},{"tool":"throws"}]})");
  EXPECT_EQ(503, status(away)) << away;
  EXPECT_EQ("bus_unavailable", body(away)["code"]);
}

TEST_F(GatewayHttp, SaysWhatBecameOfACallWithoutTheBus) {
  open();
  const std::string calls = "POST /v1/sessions/s/calls";
  bus_.drop_acks = true;
  const auto unknown = ask(calls, R"({"tool":"throws"})");
  EXPECT_EQ(503, status(unknown));
  EXPECT_EQ("accept_unknown", body(unknown)["code"]);
  EXPECT_TRUE(CallId::parse(body(unknown)["call_id"].get<std::string>()));
  bus_.drop_acks = false;
  store_->away(true);
  EXPECT_EQ(202, status(ask(calls, R"({"tool":"throws"})")));
  memory_->disconnect();
  const auto away = ask(calls, R"({"tool":"throws"})");
  EXPECT_EQ(503, status(away));
  EXPECT_NE(std::string::npos, away.find("\r\nretry-after: "));
  const auto early = start();  // begins without the bus
  memory_->reconnect();
  EXPECT_EQ(202, status(ask(calls, R"({"tool":"throws"})")));
}

TEST_F(GatewayHttp, SpeaksHttp) {
  test::RawClient client(gateway_->port());
  client.send(test::http_request("GET /livez") + test::http_request("GET /nothing") +
              test::http_request("GET /livez"));
  EXPECT_EQ(200, status(client.response()));
  EXPECT_EQ(404, status(client.response()));
  EXPECT_EQ(200, status(client.response()));
  client.send(
      "POST /v1/sessions HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n"
      "content-type: application/json\r\nexpect: 100-continue\r\n\r\n");
  EXPECT_EQ(100, status(client.read_until("\r\n\r\n")));
  client.send("2\r\n{}\r\n0\r\n\r\n");
  EXPECT_EQ(201, status(client.response()));
  test::RawClient slow(gateway_->port());
  slow.send("GET /livez HTTP/1.1\r\n");
  EXPECT_EQ(408, status(slow.response()));
}

TEST_F(GatewayHttp, ResumesWithTheExactSuffixFromEveryId) {
  open();
  for (int i = 0; i < 6; ++i) {
    const auto call = CallId::make(clock_.wall());
    if (i % 2 == 0) publish(call, 1, false);
    publish(call, 2, true, i % 2 == 1);
  }
  test::RawClient all(gateway_->port());
  all.send(test::http_request("GET /v1/sessions/s/events?after=0"));
  const auto known = ids(all, 12);
  ASSERT_EQ(12u, known.size());
  for (std::size_t i = 0; i + 1 < known.size(); ++i) {
    test::RawClient resumed(gateway_->port());
    resumed.send(
        test::http_request("GET /v1/sessions/s/events", "", "last-event-id: " + known[i] + "\r\n"));
    const std::vector<std::string> rest(known.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                        known.end());
    EXPECT_EQ(rest, ids(resumed, rest.size())) << i;
  }
}

TEST_F(GatewayHttp, MissesNothingThatTheBusDroppedLive) {
  open();
  test::RawClient follower(gateway_->port());
  follower.send(test::http_request("GET /v1/sessions/s/events"));
  follower.read_until("\r\n\r\n");
  const auto first = CallId::make(clock_.wall());
  publish(first, 1, false);
  auto seen = ids(follower, 1);
  bus_.drop_live = true;  // a hole in a call's log
  publish(first, 2, false);
  memory_->quiesce();
  bus_.drop_live = false;
  publish(first, 3, false);
  for (auto& id : ids(follower, 2)) seen.push_back(id);
  bus_.drop_live = true;  // whole calls, as when a reader was too slow
  publish(CallId::make(clock_.wall()), 1, false);
  memory_->quiesce();
  bus_.drop_live = false;
  bus_.tell_gap();
  publish(CallId::make(clock_.wall()), 1, false);
  for (auto& id : ids(follower, 2)) seen.push_back(id);
  memory_->disconnect();
  memory_->reconnect();
  publish(CallId::make(clock_.wall()), 1, false);
  for (auto& id : ids(follower, 1)) seen.push_back(id);
  test::RawClient again(gateway_->port());
  again.send(test::http_request("GET /v1/sessions/s/events?after=0"));
  EXPECT_EQ(ids(again, 6), seen);
  EXPECT_EQ(6u, seen.size());
}

TEST_F(GatewayHttp, DrainEndsStreams) {
  open();
  test::RawClient follower(gateway_->port());
  follower.send(test::http_request("GET /v1/sessions/s/events"));
  follower.read_until("\r\n\r\n");
  gateway_->drain(std::chrono::seconds(5));
  EXPECT_NE(std::string::npos, follower.read_until("0\r\n\r\n").find("event: reconnect"));
}

}  // namespace
}  // namespace toolway
