// Several gateways of one process that share its port, as `toolway gateway --loops` starts them.
#include "monitoring/metric_names.h"
#include "tests/integration/gateway/gateway_fixture.h"
#include "tests/integration/gateway/http_client.h"

namespace toolway {
namespace {

using test::status;

class GatewayLoops : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(memory_->provision({.pools = {{"native", 1}}}));
    store_ = std::make_unique<test::MemoryStore>(*memory_);
  }
  Result<std::unique_ptr<gateway::Gateway>> start_one(std::uint16_t port, unsigned loop,
                                                      gateway::GatewayOptions options = {}) {
    options.port = port;
    options.loops = 2;
    options.loop = loop;
    return gateway::server::start_gateway(*memory_, *store_, live_, *metrics_, clock_,
                                          std::move(options));
  }
  void start(const gateway::GatewayOptions& options = {}) {
    auto first = start_one(0, 0, options);
    ASSERT_TRUE(first) << first.error().message;
    first_ = std::move(*first);
    auto second = start_one(first_->port(), 1, options);
    ASSERT_TRUE(second) << second.error().message;
    second_ = std::move(*second);
    ASSERT_EQ(first_->port(), second_->port());
  }
  /// Each with one request that was answered, by whichever of them has it.
  std::vector<std::unique_ptr<test::RawClient>> connect(int count) {
    std::vector<std::unique_ptr<test::RawClient>> all;
    for (int i = 0; i < count; ++i) {
      all.push_back(std::make_unique<test::RawClient>(first_->port()));
      all.back()->send(test::http_request("GET /livez"));
    }
    return all;
  }
  double gauge(monitoring::GaugeName name) { return metrics_->gauge(name).value(); }

  std::unique_ptr<bus::InMemoryBus> memory_ = bus::make_in_memory_bus();
  const std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("gateway");
  SystemClock clock_;
  tools::model::LiveRegistry live_{tools::samples::sample_registry()};
  std::unique_ptr<test::MemoryStore> store_;
  std::unique_ptr<gateway::Gateway> first_;
  std::unique_ptr<gateway::Gateway> second_;
};

TEST_F(GatewayLoops, EachHasSomeOfTheConnections) {
  start();
  auto clients = connect(40);
  for (auto& client : clients) ASSERT_EQ(status(client->response()), 200);
  EXPECT_EQ(gauge(monitoring::kConnections), 40);
  second_.reset();
  int left = 0;
  for (auto& client : clients) {
    if (client->try_send(test::http_request("GET /livez")) &&
        client->response().starts_with("HTTP/1.1 200"))
      ++left;
  }
  EXPECT_GT(left, 0);
  EXPECT_LT(left, 40);
  EXPECT_EQ(gauge(monitoring::kConnections), left);
  for (auto& client : connect(40)) EXPECT_EQ(status(client->response()), 200) << "the first alone";
}

TEST_F(GatewayLoops, WhatOneAcceptsEachKnows) {
  start();
  test::RawClient client(first_->port());
  client.send(
      test::http_request("POST /v1/sessions", R"({"session_id":"s","namespaces":["sample"]})"));
  ASSERT_EQ(status(client.response()), 201);
  client.send(test::http_request("POST /v1/sessions/s/calls", R"({"tool":"throws"})"));
  const auto accepted = client.response();
  ASSERT_EQ(status(accepted), 202) << accepted;
  const auto id = test::body(accepted).value("call_id", "");
  for (int i = 0; i < 20; ++i) {
    test::RawClient other(first_->port());
    other.send(test::http_request("GET /v1/calls/" + id));
    EXPECT_EQ(status(other.response()), 200);
  }
}

TEST_F(GatewayLoops, TheyDivideTheConnectionsOfTheProcess) {
  start({.max_connections = 4});
  auto clients = connect(60);
  int served = 0;
  for (auto& client : clients) served += status(client->response()) == 200 ? 1 : 0;
  EXPECT_EQ(served, 4) << "two by each";
}

TEST_F(GatewayLoops, ThePortMustBeTheProcessesOwn) {
  start();
  const auto another = start_one(first_->port(), 0);
  ASSERT_FALSE(another);
  EXPECT_EQ(another.error().code, ErrorCode::kInvalidRequest);
  EXPECT_NE(another.error().message.find("cannot listen on"), std::string::npos);
}

}  // namespace
}  // namespace toolway
