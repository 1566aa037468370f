// What followers that do not read make a gateway hold.
#include <fstream>

#include "monitoring/metric_names.h"
#include "tests/integration/gateway/gateway_fixture.h"
#include "tests/integration/gateway/http_client.h"
#include "tests/support/sanitized.h"

namespace toolway {
namespace {

constexpr std::size_t kEvent = 250 * 1024;
constexpr int kEvents = 70;  // more than sockets hold
constexpr std::size_t kFollowers = 200;

std::int64_t resident_kb() {
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;) {
    if (std::int64_t kb = 0; word == "VmRSS:" && in >> kb) return kb;
  }
  return 0;
}

constexpr int kReceiveBuffer = 64 * 1024;

class Followers : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(memory_->provision({.pools = {{"native", 1}}}));
    store_ = std::make_unique<test::MemoryStore>(*memory_);
    start({.port = 0});
  }
  void start(gateway::GatewayOptions options) {
    gateway_.reset();
    auto started = gateway::server::start_gateway(*memory_, *store_, live_, *metrics_, clock_,
                                                  std::move(options));
    ASSERT_TRUE(started) << started.error().message;
    gateway_ = std::move(*started);
  }
  std::string ask(const std::string& line, const std::string& body) {
    return test::ask(gateway_->port(), line, body);
  }
  /// A session whose log has kEvents completions of kEvent bytes each.
  void fill() {
    ask("POST /v1/sessions", R"({"session_id":"s","namespaces":["sample"]})");
    ask("POST /v1/sessions/s/calls", R"({"tool":"throws"})");
    memory_->quiesce();
    const auto session = *SessionKey::parse(test::first_call(*memory_).session_key());
    for (int i = 0; i < kEvents; ++i) {
      const auto call = CallId::make(clock_.wall());
      v1::CallEvent event;
      event.set_call_id(call.text());
      event.set_tenant_id("default");
      event.set_user_id("anonymous");
      event.set_session_id("s");
      event.set_session_key(session.text());
      event.set_attempt(1);
      event.set_seq(1);
      event.set_time_us(to_unix_us(clock_.wall()));
      event.mutable_completed()->set_outcome(v1::OUTCOME_SUCCEEDED);
      std::string text(kEvent, 'x');
      text.front() = text.back() = '"';
      event.mutable_completed()->set_result(std::move(text));
      test::Awaited<Result<bus::PubAck>> ack;
      memory_->publish(
          {.subject = proto::event_subject(session, call), .payload = proto::encode(event)},
          ack.callback());
      const auto acked = ack.next();
      ASSERT_TRUE(acked && *acked);
    }
  }
  double held() { return metrics_->gauge(monitoring::kMemoryHeld).value(); }
  static std::string follow() {
    return "GET /v1/sessions/s/events?after=0 HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n";
  }

  std::unique_ptr<bus::InMemoryBus> memory_ = bus::make_in_memory_bus();
  std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("gateway");
  SystemClock clock_;
  tools::model::LiveRegistry live_{tools::samples::sample_registry()};
  std::unique_ptr<test::MemoryStore> store_;
  std::unique_ptr<gateway::Gateway> gateway_;
};

TEST_F(Followers, ThatDoNotReadHoldLessThanAMegabyteEach) {
  gateway::GatewayOptions options{.port = 0};
  options.write_timeout =
      std::chrono::minutes(5);  // the first waits, unread, until all the others follow
  start(options);
  fill();
  const std::int64_t before = resident_kb();
  std::vector<std::unique_ptr<test::RawClient>> clients;
  for (std::size_t i = 0; i < kFollowers; ++i) {
    clients.push_back(std::make_unique<test::RawClient>(gateway_->port(), kReceiveBuffer));
    clients.back()->send(follow());
  }
  for (auto& client : clients) EXPECT_FALSE(client->read_until("\nid: ").empty());
  EXPECT_LT(held(), 1e6 * kFollowers);
  EXPECT_LT(resident_kb() - before, test::resident_bound(1000 * kFollowers));
  // A reader gets all of them, in order: here the last one, since the kernel has waited least
  // before it asks again whether there is room, and with a window that does not fill again. The
  // others are gone by then: what they keep counts against the kernel's memory for all of TCP, and
  // without room there it drops what the reader should get.
  clients.erase(clients.begin(), clients.end() - 1);
  auto& reader = *clients.back();
  reader.widen(1024 * 1024);
  std::string last;
  for (int i = 1; i < kEvents; ++i) {
    const auto id = reader.read_until("\nid: ").empty() ? "" : reader.read_until("\n");
    ASSERT_FALSE(id.empty()) << i;
    EXPECT_TRUE(last.size() < id.size() || last < id) << last << " " << id;
    last = id;
  }
  clients.clear();
}

TEST_F(Followers, WaitWhenOthersHoldAllThatFollowersMay) {
  gateway::GatewayOptions options{.port = 0};
  options.memory_budget_bytes = 8 * 1024 * 1024;  // 3 MiB are counted, half of it for followers
  options.write_timeout = std::chrono::seconds(1);
  start(options);
  fill();
  std::vector<std::unique_ptr<test::RawClient>> clients;
  for (std::size_t i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<test::RawClient>(gateway_->port(), kReceiveBuffer));
    clients.back()->send(follow());
  }
  // Those that do not read are closed after a second, and their part goes to one that reads.
  test::RawClient reader(gateway_->port());
  reader.send(follow());
  for (int i = 0; i < kEvents; ++i) ASSERT_FALSE(reader.read_until("\nid: ").empty()) << i;
  EXPECT_LT(held(), 4e6);
}

}  // namespace
}  // namespace toolway
