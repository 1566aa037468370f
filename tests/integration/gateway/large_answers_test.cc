// Large answers are written on other threads: the gateway answers others in that time, and counts
// what they take.
#include <fmt/format.h>

#include "monitoring/metric_names.h"
#include "tests/integration/gateway/gateway_fixture.h"
#include "tests/integration/gateway/http_client.h"
#include "tests/support/gated_tool.h"
#include "tools/model/kinds.h"

namespace toolway {
namespace {

using test::body;
using test::status;

constexpr std::size_t kCalls = 3000;

/// A store whose every session has had many calls.
class BusyStore final : public test::MemoryStore {
 public:
  using MemoryStore::MemoryStore;
  R<std::vector<persistence::store::ManifestCall>> manifest(const SessionKey&,
                                                            const std::optional<CallId>& after,
                                                            std::size_t) override {
    std::vector<persistence::store::ManifestCall> calls(after ? 0 : kCalls);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      calls[i].call_id = fmt::format("00000000-0000-7000-8000-{:012}", i);
      calls[i].labels.set_tool("echo");
      calls[i].state = persistence::store::CallState::kCompleted;
      calls[i].outcome = v1::OUTCOME_SUCCEEDED;
    }
    return calls;
  }
  R<persistence::store::CallCounts> counts(const SessionKey&,
                                           persistence::store::MailboxCursor) override {
    return persistence::store::CallCounts{
        .queued = 0, .running = 0, .completed = kCalls, .unread = 0};
  }
};

/// Completes calls: of `echo` with their arguments, of `grow` with a text of 30,000 letters.
class EchoWorker {
 public:
  explicit EchoWorker(bus::Bus& bus) : bus_(bus) {
    pull_ = bus.pull({"CALLS", proto::call_durable("native", proto::Lane::kNormal, 0)},
                     [this](bus::Delivery delivery) {
                       if (const auto call = proto::decode_call(delivery.payload)) complete(*call);
                       delivery.ack();
                     });
    pull_->allow(100);
  }
  /// Returns once a call more has its completion stored.
  bool await_completion() {
    const auto ack = acks_.next();
    return ack && ack->has_value();
  }

 private:
  void complete(const v1::CallRequest& call) {
    auto event = test::completion_of(call);
    const bool grow = call.labels().tool() == "grow";
    event.mutable_completed()->set_result(grow ? to_text(Json(std::string(30'000, 'x')))
                                               : call.arguments());
    bus_.publish({.subject = test::event_subject_of(call), .payload = proto::encode(event)},
                 acks_.callback());
  }
  bus::Bus& bus_;
  test::Awaited<Result<bus::PubAck>> acks_;
  std::unique_ptr<bus::PullConsumer> pull_;
};

tools::model::RegisteredToolPtr small_tool(const std::string& name) {
  return *tools::model::register_tool(
      tools::model::declared_tool({.name = name, .input_schema = {{"type", "object"}}}));
}

/// A gateway with one thread for large documents, which a test can hold up.
class LargeAnswers : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(memory_->provision({.pools = {{"native", 1}}}));
    store_ = std::make_unique<BusyStore>(*memory_);
  }
  void TearDown() override { gate_->open(); }
  void start(gateway::GatewayOptions options = {}) {
    options.port = 0;
    options.work_threads = 1;
    options.edge.trust_user_header = {"loopback"};
    auto started =
        gateway::server::start_gateway(*memory_, *store_, live_, *metrics_, clock_, options);
    ASSERT_TRUE(started) << started.error().message;
    gateway_ = std::move(*started);
    worker_ = std::make_unique<EchoWorker>(*memory_);
    ASSERT_EQ(status(ask("POST /v1/sessions", R"({"session_id":"s"})")), 201);
  }
  std::string ask(const std::string& line, const std::string& body = "") {
    return test::ask(gateway_->port(), line, body);
  }
  static std::string message(const std::string& tool) {
    const Json call{
        {"id", "c"}, {"type", "function"}, {"function", {{"name", tool}, {"arguments", "{}"}}}};
    return to_text(
        Json{{"role", "assistant"}, {"content", nullptr}, {"tool_calls", Json::array({call})}});
  }
  /// Has the thread for large documents write a list, and stop in the middle of it.
  void hold_up(test::RawClient& client) {
    gate_->close();
    client.send(test::http_request("GET /v1/tools"));
    ASSERT_TRUE(gate_->await_reader());
  }
  double held() { return metrics_->gauge(monitoring::kMemoryHeld).value(); }

  std::shared_ptr<test::SpecGate> gate_ = std::make_shared<test::SpecGate>();
  std::unique_ptr<bus::InMemoryBus> memory_ = bus::make_in_memory_bus();
  std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("gateway");
  SystemClock clock_;
  tools::model::LiveRegistry live_{*tools::model::Registry::of(
      {test::large_gated_tool(gate_), small_tool("echo"), small_tool("grow")})};
  std::unique_ptr<BusyStore> store_;
  std::unique_ptr<gateway::Gateway> gateway_;
  std::unique_ptr<EchoWorker> worker_;
};

TEST_F(LargeAnswers, OthersAreAnsweredWhileAListOfToolsIsWritten) {
  start();
  test::RawClient slow(gateway_->port());
  hold_up(slow);
  EXPECT_EQ(status(ask("GET /livez")), 200);
  EXPECT_EQ(status(ask("GET /v1/sessions/s/tools")), 200)
      << "a short list is not kept waiting by a long one";
  EXPECT_EQ(status(ask("POST /v1/sessions/s/calls", R"({"tool":"echo"})")), 202);
  EXPECT_FALSE(gate_->gave_up());
  gate_->open();
  EXPECT_EQ(body(slow.response())["tools"].size(), 3U);
}

TEST_F(LargeAnswers, OfAModelsMessageAreWrittenThere) {
  start();
  test::RawClient slow(gateway_->port());
  hold_up(slow);
  test::RawClient large(gateway_->port());
  large.send(test::http_request("POST /v1/sessions/s/tool_calls?format=openai", message("grow")));
  ASSERT_TRUE(worker_->await_completion());
  memory_->quiesce();
  // What the loop does, it does in order: what it wrote itself would be here before these.
  const auto small = body(ask("POST /v1/sessions/s/tool_calls?format=openai", message("echo")));
  EXPECT_EQ(small["messages"][0]["content"], "{}");
  EXPECT_FALSE(large.readable(0));
  EXPECT_FALSE(gate_->gave_up());
  gate_->open();
  EXPECT_EQ(body(large.response())["messages"][0]["content"], std::string(30'000, 'x'));
  EXPECT_EQ(status(slow.response()), 200);
}

TEST_F(LargeAnswers, ManifestsAreWrittenThereAndCountedWhileTheyAre) {
  start();
  test::RawClient slow(gateway_->port());
  hold_up(slow);
  test::RawClient closing(gateway_->port());
  closing.send(test::http_request("POST /v1/sessions/s/close", R"({"pending":"detach"})"));
  // Until its manifest waits to be written, other requests are answered, and what it holds is
  // counted.
  const auto patience = std::chrono::steady_clock::now() + test::kPatience;
  const double least = kCalls * sizeof(persistence::store::ManifestCall);
  while (status(ask("GET /livez")) == 200 && (held() < least || held() > 4 * 1024 * 1024.0)) {
    ASSERT_LT(std::chrono::steady_clock::now(), patience) << held();
  }
  EXPECT_FALSE(closing.readable(0));
  EXPECT_FALSE(gate_->gave_up());
  gate_->open();
  const auto manifest = body(closing.response());
  EXPECT_EQ(manifest["completed_calls"].size(), kCalls);
  EXPECT_EQ(manifest["available_tools"], Json::array({"default.echo", "default.grow"}));
  EXPECT_EQ(manifest["complete"], true);
  EXPECT_EQ(status(slow.response()), 200);
}

TEST_F(LargeAnswers, WithoutRoomForItsManifestASessionStaysOpen) {
  gateway::GatewayOptions options;
  options.memory_budget_bytes = 16 * 1024 * 1024;  // 6 MiB are counted, 4.5 of them for answers
  start(options);
  const auto refused = ask("POST /v1/sessions/s/close", "{}");
  EXPECT_EQ(status(refused), 503);
  EXPECT_EQ(body(refused)["code"], "overloaded");
  EXPECT_NE(refused.find("retry-after: "), std::string::npos);
  EXPECT_EQ(body(ask("GET /v1/sessions/s"))["state"], "open");
}

TEST_F(LargeAnswers, WithoutRoomForItsToolsASessionIsNotOpened) {
  gateway::GatewayOptions options;
  options.memory_budget_bytes = 192 * 1024;  // 72 KiB are counted, 54 of them for answers
  start(options);
  const auto refused = ask("POST /v1/sessions", R"({"session_id":"l","namespaces":["gated"]})");
  EXPECT_EQ(status(refused), 503);
  EXPECT_EQ(body(refused)["code"], "overloaded");
  EXPECT_EQ(status(ask("GET /v1/sessions/l")), 404);
  EXPECT_EQ(held(), 0);
}

TEST_F(LargeAnswers, CallsOfAUserThatAreWaitedForHaveALimit) {
  gateway::GatewayOptions options;
  options.waits.per_user = 2;
  options.edge.requests_per_user = 1;
  start(options);
  const auto batch = [this](const std::string& calls) {
    return test::ask(gateway_->port(), "POST /v1/sessions/s/calls:batch",
                     R"({"calls":[)" + calls + "]}", "prefer: wait=20\r\n");
  };
  const std::string call = R"({"tool":"echo"})";
  const auto three = batch(call + "," + call + "," + call);
  EXPECT_EQ(status(three), 202);
  EXPECT_EQ(body(three)["calls"][0]["status"], "completed");
  EXPECT_EQ(body(three)["calls"][1]["status"], "completed");
  EXPECT_EQ(body(three)["calls"][2]["status"], "queued");
  EXPECT_NE(three.find("preference-applied"), std::string::npos);
  EXPECT_EQ(status(batch(call + "," + call)), 200);
}

}  // namespace
}  // namespace toolway
