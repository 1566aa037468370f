#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <stdexcept>

#include "gateway/gateway.h"
#include "gateway/server/start_gateway.h"
#include "persistence/collector/collector.h"
#include "persistence/store/postgres_reader.h"
#include "tests/integration/gateway/http_client.h"
#include "tests/support/awaiting.h"
#include "tests/support/servers_fixture.h"
#include "tests/support/test_clock.h"
#include "tools/native/native.h"
#include "workers/pool/start_worker.h"
#include "workers/worker.h"

namespace toolway::test {

/// What tools of these tests wait for.
class Gate {
 public:
  void open() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  /// False when it was told to stop before the gate opened.
  bool pass(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    return changed_.wait(lock, stop, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool open_ = false;
};

/// Says that it has begun, and ends when its gate opens.
struct Gated {
  static constexpr tools::native::ToolInfo info{
      .name = "gated", .ns = "sample", .idempotent = true};
  explicit Gated(std::shared_ptr<Gate> its) : gate(std::move(its)) {}
  Result<Json> run(tools::model::ToolContext& context, tools::model::Progress& progress) const {
    progress.report({.progress = 1, .total = 2, .message = "waiting"});
    if (!gate->pass(context.cancellation())) return fail(ErrorCode::kCancelled, "told to stop");
    return Json{{"passed", true}};
  }
  std::shared_ptr<Gate> gate;
};

struct Quick {
  static constexpr tools::native::ToolInfo info{
      .name = "quick", .ns = "sample", .idempotent = true};
  Result<Json> run(tools::model::ToolContext&) const { return Json{{"done", true}}; }
};

/// Runs once someone has approved it.
struct Guarded {
  static constexpr tools::native::ToolInfo info{
      .name = "guarded", .ns = "sample", .requires_approval = true, .idempotent = true};
  Result<Json> run(tools::model::ToolContext&) const { return Json{{"done", true}}; }
};

/// One answer.
struct Reply {
  int status = 0;
  std::string head;
  Json body;
};

/// Real NATS and Postgres, a collector, a worker, and two gateways that share nothing else.
class SessionsTest : public ServersFixture {
 protected:
  void SetUp() override {
    ServersFixture::SetUp();
    if (HasFatalFailure()) return;
    auto registry = std::make_shared<tools::model::Registry>();
    ASSERT_TRUE(registry->add(tools::native::make_native_tool<Gated>(gate_)));
    ASSERT_TRUE(registry->add(tools::native::make_native_tool<Quick>()));
    ASSERT_TRUE(registry->add(tools::native::make_native_tool<Guarded>()));
    registry_ = registry;
    live_ = std::make_unique<tools::model::LiveRegistry>(registry_);
    collector_ = persistence::collector::start_collector(*bus_, *metrics_,
                                                         {.postgres_url = postgres_->url()});
    auto worker = workers::pool::start_worker(*bus_, *metrics_, registry_, clock_, {});
    ASSERT_TRUE(worker) << worker.error().message;
    worker_ = std::move(*worker);
    for (Face* face : {&one_, &two_}) start(*face);
  }
  void TearDown() override { gate_->open(); }

  /// A gateway with a connection, a store and metrics of its own.
  struct Face {
    std::unique_ptr<monitoring::Metrics> metrics = monitoring::make_metrics("gateway");
    std::unique_ptr<bus::Bus> bus;
    std::unique_ptr<persistence::store::StoreReader> store;
    std::unique_ptr<gateway::Gateway> gateway;
    std::uint16_t port() const { return gateway->port(); }
  };
  void start(Face& face) {
    face.bus = connect();
    face.store = persistence::store::make_postgres_reader(
        {.url = postgres_->url(), .statement_timeout = std::chrono::milliseconds(1000)});
    auto gateway =
        gateway::server::start_gateway(*face.bus, *face.store, *live_, *face.metrics, clock_,
                                       {.port = 0, .edge = {.trust_user_header = {"loopback"}}});
    ASSERT_TRUE(gateway) << gateway.error().message;
    face.gateway = std::move(*gateway);
  }
  static std::string request(const std::string& line, const std::string& body = "",
                             const std::string& headers = "") {
    return line + " HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n" + headers +
           "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  static Reply parsed(const std::string& answer) {
    Reply reply;
    const auto end = answer.find("\r\n\r\n");
    if (end == std::string::npos || answer.size() < 12) return reply;
    reply.status = std::stoi(answer.substr(9, 3));
    reply.head = answer.substr(0, end + 2);
    auto body = parse_json(answer.substr(end + 4));
    if (body) reply.body = std::move(*body);
    return reply;
  }
  static Reply ask(const Face& face, const std::string& line, const std::string& body = "",
                   const std::string& headers = "") {
    RawClient client(face.port());
    client.send(request(line, body, headers));
    return parsed(client.response());
  }
  Reply open(const Face& face, const std::string& id) {
    return ask(face, "POST /v1/sessions",
               R"({"session_id":")" + id + R"(","namespaces":["sample"]})");
  }
  /// Runs `quick` to its end; its call_id.
  std::string run_quick(const Face& face, const std::string& session) {
    const auto reply = ask(face, "POST /v1/sessions/" + session + "/calls", R"({"tool":"quick"})",
                           "prefer: wait=20\r\n");
    EXPECT_EQ(200, reply.status) << reply.body.dump();
    return reply.body.value("call_id", "");
  }
  /// Starts `gated` and waits until it runs; its call_id.
  std::string run_gated(const Face& face, const std::string& session) {
    const auto reply = ask(face, "POST /v1/sessions/" + session + "/calls",
                           R"({"tool":"gated","tool_call_id":"tc"})");
    EXPECT_EQ(202, reply.status) << reply.body.dump();
    const std::string id = reply.body.value("call_id", "");
    RawClient events(face.port());
    events.send("GET /v1/calls/" + id + "/events HTTP/1.1\r\nhost: localhost\r\n\r\n");
    EXPECT_NE(std::string::npos, events.read_until("event: progress").find("event: progress"));
    return id;
  }
  static std::string path(const std::string& session, const std::string& what) {
    return "/v1/sessions/" + session + what;
  }

  MovedClock clock_;
  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("test");
  std::shared_ptr<const tools::model::Registry> registry_;
  std::unique_ptr<tools::model::LiveRegistry> live_;
  std::unique_ptr<persistence::collector::Collector> collector_;
  std::unique_ptr<workers::Worker> worker_;
  Face one_;
  Face two_;
};

}  // namespace toolway::test
