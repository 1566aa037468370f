// A store or a JetStream that says nothing, with a clock of the test's own: what the gateway
// answers while it lasts.
#include <future>
#include <thread>
#include <utility>

#include "tests/integration/gateway/gateway_fixture.h"
#include "tests/integration/gateway/hostile_mcp.h"
#include "tests/integration/gateway/http_client.h"
#include "tests/support/test_clock.h"

namespace toolway {
namespace {

using test::status;

using std::chrono::seconds;

/// JetStream of which one stream hangs, while everything else answers.
class HalfDeadBus final : public test::ForwardingBus {
 public:
  using ForwardingBus::ForwardingBus;
  std::atomic<bool> hangs{false};
  std::atomic<int> unanswered{0};
  std::atomic<int> published{0};
  void stream_state(std::string_view stream,
                    std::function<void(Result<bus::StreamState>)> handler) override {
    if (!hangs || stream != proto::kEventsStream)
      return inner().stream_state(stream, std::move(handler));
    ++unanswered;
    handler(fail(ErrorCode::kTimeout, "no answer"));
  }
  std::atomic<bool> behind{false};  ///< its collectors have recorded nothing
  std::atomic<int> compared{0};
  void consumer_state(bus::Durable durable,
                      std::function<void(Result<bus::ConsumerState>)> handler) override {
    if (!behind || durable.name != proto::kCollectorDurable)
      return inner().consumer_state(std::move(durable), std::move(handler));
    ++compared;
    handler(bus::ConsumerState{});
  }
  void publish(bus::Publication publication, bus::PublishHandler handler) override {
    if (publication.subject.starts_with("call.")) ++published;
    inner().publish(std::move(publication), std::move(handler));
  }
};

/// A store whose reads of calls do not come back until they are let go.
class StuckStore final : public test::MemoryStore {
 public:
  using MemoryStore::MemoryStore;
  ~StuckStore() override { let_go(); }
  Result<std::optional<persistence::store::RecordedCall>> call(const CallId& id) override {
    ++waiting;
    released_.wait();
    return MemoryStore::call(id);
  }
  R<persistence::store::Page<persistence::store::RecordedCall>> calls_of_session(
      const SessionKey& session, persistence::store::CallState state,
      const std::optional<CallId>& before, persistence::store::PageLimit limit) override {
    ++waiting;
    released_.wait();
    return MemoryStore::calls_of_session(session, state, before, limit);
  }
  Result<void> ping() override {
    if (silent) return fail(ErrorCode::kStoreUnavailable, "nothing came");
    return {};
  }
  void let_go() {
    if (!std::exchange(let_go_, true)) release_.set_value();
  }
  std::atomic<bool> silent{false};
  std::atomic<int> waiting{0};

 private:
  std::promise<void> release_;
  std::shared_future<void> released_{release_.get_future()};
  bool let_go_ = false;
};

class GatewaySilence : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(memory_->provision({.pools = {{"native", 1}}}));
    store_ = std::make_unique<StuckStore>(*memory_);
    auto started =
        gateway::server::start_gateway(bus_, *store_, live_, *metrics_, clock_, {.port = 0});
    ASSERT_TRUE(started) << started.error().message;
    gateway_ = std::move(*started);
    ASSERT_TRUE(becomes([this] { return status(ask("GET /readyz")) == 200; }))
        << ask("GET /readyz");
    ASSERT_EQ(201,
              status(ask("POST /v1/sessions", R"({"session_id":"s","namespaces":["sample"]})")));
  }
  void TearDown() override { store_->let_go(); }

  std::string ask(const std::string& line, const std::string& body = "") {
    return test::ask(gateway_->port(), line, body);
  }
  static bool says(const std::string& response, const std::string& text) {
    return response.find(text) != std::string::npos;
  }
  template <typename Condition>
  static bool becomes(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + test::kPatience;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }

  std::unique_ptr<bus::InMemoryBus> memory_ = bus::make_in_memory_bus();
  HalfDeadBus bus_{*memory_};
  std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("gateway");
  test::MovedClock clock_;
  tools::model::LiveRegistry live_{tools::samples::sample_registry()};
  std::unique_ptr<StuckStore> store_;
  std::unique_ptr<gateway::Gateway> gateway_;
};

TEST_F(GatewaySilence, AStreamThatHangsMakesItUnreadyAndItsCallsRefusedThoughTheRestAnswers) {
  bus_.hangs = true;
  ASSERT_TRUE(becomes([this] { return bus_.unanswered > 1; }));
  EXPECT_EQ(200, status(ask("GET /readyz")));
  clock_.move_monotonic(seconds(6));
  const auto ready = ask("GET /readyz");
  EXPECT_EQ(503, status(ready)) << ready;
  EXPECT_TRUE(says(ready, R"("nats":"JetStream does not answer")")) << ready;
  const auto refused = ask("POST /v1/sessions/s/calls", R"({"tool":"throws"})");
  EXPECT_EQ(503, status(refused)) << refused;
  EXPECT_TRUE(says(refused, "bus_unavailable")) << refused;
  EXPECT_EQ(bus_.published, 0) << "it certainly does not run";
  EXPECT_TRUE(becomes([this] {
    return says(ask("GET /metrics"), R"(toolway_guard_refusing{reason="bus_unavailable"} 1)");
  }));
  bus_.hangs = false;
  EXPECT_TRUE(becomes([this] { return status(ask("GET /readyz")) == 200; }));
  EXPECT_EQ(202, status(ask("POST /v1/sessions/s/calls", R"({"tool":"throws"})")));
}

TEST_F(GatewaySilence, AnMcpCallThatWasAcceptedAndCannotBeFollowedIsNotRefused) {
  bus_.hangs = true;  // lately enough for calls to be accepted
  const auto answer = test::ask(
      gateway_->port(), "POST /mcp/s",
      test::message("tools/call",
                    R"("name":"sample__throws","arguments":{},"_meta":{"progressToken":1,)"
                    R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                    R"("io.modelcontextprotocol/clientCapabilities":{}})"),
      test::modern("tools/call", "sample__throws") +
          test::named("accept", "application/json, text/event-stream"));
  EXPECT_EQ(bus_.published, 1) << answer;
  EXPECT_EQ(200, status(answer)) << answer;
  EXPECT_TRUE(says(answer, R"("toolway/status":"queued")")) << answer;
}

TEST_F(GatewaySilence, ReadsOfASilentStoreAreAnsweredByTheGatewayAndTheNextOnesAtOnce) {
  store_->silent = true;
  const std::string read =
      "GET /v1/calls/" + CallId::make(clock_.wall() - std::chrono::hours(24)).text();
  std::vector<std::future<std::string>> reads;
  // More than there are threads: those that wait for one are answered like those that have one.
  for (int i = 0; i < 6; ++i)
    reads.push_back(std::async(std::launch::async, [&] { return ask(read); }));
  ASSERT_TRUE(becomes([this] { return store_->waiting == 4; }));
  EXPECT_TRUE(becomes([&] {
    clock_.move_monotonic(seconds(1));
    return reads.back().wait_for(std::chrono::milliseconds(20)) == std::future_status::ready;
  }));
  for (auto& waiting : reads) {
    const auto answer = waiting.get();
    EXPECT_EQ(503, status(answer)) << answer;
    EXPECT_TRUE(says(answer, "store_unavailable")) << answer;
  }
  EXPECT_EQ(store_->waiting, 4) << "who is answered is not read for any more";
  EXPECT_TRUE(
      becomes([this] { return says(ask("GET /readyz"), R"("postgres":"does not answer")"); }));
  EXPECT_EQ(200, status(ask("GET /readyz")));
  EXPECT_TRUE(becomes([&] {
    clock_.move_monotonic(seconds(1));
    return says(ask("GET /readyz"), R"("status":"ready")") && status(ask(read)) == 503;
  }));
  EXPECT_EQ(store_->waiting, 4) << "refused without a thread";
  store_->silent = false;
  store_->let_go();
  EXPECT_TRUE(becomes([&] { return status(ask(read)) == 404; }));
}

TEST_F(GatewaySilence, TheWaitForTheCollectorsIsPartOfTheTimeThatASilentStoreGets) {
  ASSERT_EQ(202, status(ask("POST /v1/sessions/s/calls", R"({"tool":"throws"})")));
  bus_.behind = true;
  auto read = std::async(std::launch::async, [this] { return ask("GET /v1/sessions/s/calls"); });
  ASSERT_TRUE(becomes([this] { return bus_.compared > 0; }));
  // Nothing comes from the store for two seconds, in which the gateway waits for its collectors.
  store_->silent = true;
  clock_.move_monotonic(seconds(2));
  const auto answer = read.get();
  EXPECT_EQ(503, status(answer)) << answer;
  EXPECT_TRUE(says(answer, "store_unavailable")) << answer;
  EXPECT_EQ(store_->waiting, 0) << "it is not asked any more";
}

TEST_F(GatewaySilence, AReadMayTakeItsTimeWhileTheStoreAnswersOthers) {
  const std::string read =
      "GET /v1/calls/" + CallId::make(clock_.wall() - std::chrono::hours(24)).text();
  auto slow = std::async(std::launch::async, [&] { return ask(read); });
  ASSERT_TRUE(becomes([this] { return store_->waiting == 1; }));
  // Two seconds and more, in which pings are answered.
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(2600);
  EXPECT_TRUE(becomes([&] { return std::chrono::steady_clock::now() > until; }));
  EXPECT_EQ(slow.wait_for(seconds(0)), std::future_status::timeout);
  store_->let_go();
  EXPECT_EQ(404, status(slow.get()));
}

}  // namespace
}  // namespace toolway
