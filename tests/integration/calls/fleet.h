#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>

#include "bus/key_value.h"
#include "cli/client/http_client.h"
#include "gateway/gateway.h"
#include "gateway/server/start_gateway.h"
#include "persistence/collector/collector.h"
#include "persistence/store/postgres_reader.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "tests/support/awaiting.h"
#include "tests/support/sample_tools.h"
#include "tests/support/servers_fixture.h"
#include "tests/support/write_entry.h"
#include "workers/pool/start_worker.h"
#include "workers/worker.h"

namespace toolway::test {

/// Two gateways with connections of their own on one real NATS, with a real Postgres; collector
/// and worker when a test wants them.
class Fleet : public ServersFixture {
 protected:
  void SetUp() override {
    ServersFixture::SetUp();
    if (HasFatalFailure()) return;
    auto registry = std::make_shared<tools::model::Registry>();
    ASSERT_TRUE(registry->add(tools::native::make_native_tool<tools::samples::Hangs>()));
    ASSERT_TRUE(registry->add(tools::native::make_native_tool<tools::samples::Throws>()));
    ASSERT_TRUE(registry->add(tools::native::make_native_tool<tools::samples::Counts>(
        std::make_shared<std::atomic<int>>(0))));
    registry_ = registry;
    live_ = std::make_unique<tools::model::LiveRegistry>(registry_);
    for (Face* face : {&first_, &second_}) start(*face, {.port = 0});
    open("s");
  }

  /// One gateway, and what it needs of its own.
  struct Face {
    std::unique_ptr<bus::Bus> bus;
    std::unique_ptr<persistence::store::StoreReader> store;
    std::unique_ptr<monitoring::Metrics> metrics;
    std::unique_ptr<gateway::Gateway> gateway;
  };
  void start(Face& face, gateway::GatewayOptions options) {
    face.gateway.reset();
    if (options.edge.trust_user_header.empty()) options.edge.trust_user_header = {"loopback"};
    face.bus = connect();
    face.store = persistence::store::make_postgres_reader({.url = postgres_->url()});
    face.metrics = monitoring::make_metrics("gateway");
    auto started = gateway::server::start_gateway(*face.bus, *face.store, *live_, *face.metrics,
                                                  clock_, std::move(options));
    ASSERT_TRUE(started) << started.error().message;
    face.gateway = std::move(*started);
  }
  void start_collector() {
    collector_ = persistence::collector::start_collector(*bus_, *metrics_,
                                                         {.postgres_url = postgres_->url()});
  }
  void start_worker(std::size_t slots = 4) {
    auto worker =
        workers::pool::start_worker(*bus_, *metrics_, registry_, clock_, {.slots = slots});
    ASSERT_TRUE(worker) << worker.error().message;
    worker_ = std::move(*worker);
  }

  cli::client::HttpAnswer ask(const Face& face, std::string_view method, const std::string& target,
                              const std::string& body = {},
                              const cli::client::HttpClient::Headers& headers = {},
                              const std::string& user = {}) {
    const auto url = fmt::format("http://127.0.0.1:{}", face.gateway->port());
    auto client = cli::client::HttpClient::create({.url = url, .user = user});
    auto answer = (*client)->request(method, target, body, headers);
    if (!answer) ADD_FAILURE() << answer.error().message;
    return answer ? std::move(*answer) : cli::client::HttpAnswer{};
  }
  void open(const std::string& session) {
    const auto body = fmt::format(R"({{"session_id":"{}","namespaces":["sample"]}})", session);
    EXPECT_EQ(ask(first_, "POST", "/v1/sessions", body).status, 201);
  }
  /// Accepts a call of `tool`; its id.
  std::string call(const Face& face, const std::string& tool = "hangs") {
    const auto answer = ask(face, "POST", "/v1/sessions/s/calls", R"({"tool":")" + tool + "\"}");
    EXPECT_EQ(answer.status, 202) << answer.body;
    return text(answer, "call_id");
  }
  static std::string text(const cli::client::HttpAnswer& answer, const char* field) {
    const auto json = answer.json();
    return json.is_object() && json.contains(field) && json[field].is_string()
               ? json[field].get<std::string>()
               : std::string();
  }
  /// Asks until `wanted` holds of the answer; the last answer.
  template <typename Wanted>
  cli::client::HttpAnswer ask_until(const Face& face, const std::string& target, Wanted wanted) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
      auto answer = ask(face, "GET", target);
      if (wanted(answer) || std::chrono::steady_clock::now() > deadline) return answer;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  std::vector<v1::CallEvent> events_on_bus() {
    std::vector<v1::CallEvent> events;
    for (std::uint64_t next = 1;;) {
      Awaited<Result<bus::StoredMessage>> got;
      bus_->next_message(proto::kEventsStream, "event.>", next, bus::ReadFrom::kLeader,
                         got.callback());
      auto message = got.next();
      if (!message || !*message) return events;
      next = (*message)->sequence + 1;
      if (auto event = proto::decode_event((*message)->payload)) events.push_back(*event);
    }
  }
  void write_entry(std::string_view bucket_name, const std::string& key, const std::string& value) {
    test::write_entry(*bus_, bucket_name, key, value);
  }
  /// The completion of a call; waits for it.
  v1::CallEvent end_of(const std::string& call_id) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < deadline) {
      for (auto& event : events_on_bus()) {
        if (event.call_id() == call_id && event.has_completed()) return event;
      }
    }
    ADD_FAILURE() << call_id << " did not end";
    return {};
  }

  const SystemClock clock_;
  std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("test");
  std::shared_ptr<const tools::model::Registry> registry_;
  std::unique_ptr<tools::model::LiveRegistry> live_;
  Face first_;
  Face second_;
  std::unique_ptr<persistence::collector::Collector> collector_;
  std::unique_ptr<workers::Worker> worker_;
};

}  // namespace toolway::test
