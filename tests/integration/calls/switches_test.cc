// Tools switched off and on, on real NATS: what gateways and workers make of it, and how soon.
#include "proto/switches.h"
#include "bus/key_value.h"
#include "tests/integration/calls/fleet.h"

namespace toolway {
namespace {

using std::chrono::steady_clock;

class SwitchTools : public test::Fleet {
 protected:
  void turn(const std::string& key, const std::string& value) {
    ASSERT_NO_FATAL_FAILURE(write_entry(proto::kSwitchesBucket, key, value));
    turned_ = steady_clock::now();
  }
  void off(const std::string& key) {
    turn(key,
         proto::encode({.reason = "being repaired", .by = "ann", .at = "2026-01-01T00:00:00Z"}));
  }
  void on(const std::string& key) { turn(key, ""); }

  cli::client::HttpAnswer try_call(const Face& face, const char* tool = "throws") {
    return ask(face, "POST", "/v1/sessions/s/calls", std::string(R"({"tool":")") + tool + "\"}");
  }
  /// Waits for the fact, and prints how long it took.
  template <typename Fact>
  void expect_soon(const char* what, Fact fact) {
    const auto deadline = steady_clock::now() + test::kPatience;
    while (!fact() && steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(fact()) << what;
    std::printf("%-45s %6.1f ms\n", what,
                std::chrono::duration<double, std::milli>(steady_clock::now() - turned_).count());
  }
  std::size_t listed(const Face& face) {
    return ask(face, "GET", "/v1/sessions/s/tools").json()["tools"].size();
  }

  steady_clock::time_point turned_{};
};

TEST_F(SwitchTools, EveryGatewayAndWorkerObeysAlsoAfterNatsWasAway) {
  const auto all = listed(second_);
  off("sample.throws");
  for (Face* face : {&first_, &second_}) {
    expect_soon("a gateway refuses the call after", [&] { return try_call(*face).status == 409; });
  }
  const auto refused = try_call(second_);
  EXPECT_EQ(text(refused, "code"), "tool_disabled");
  EXPECT_EQ(text(refused, "detail"), "tool 'sample.throws' is switched off: being repaired")
      << refused.body;
  EXPECT_EQ(listed(second_), all - 1);
  const auto tools = ask(first_, "GET", "/v1/tools").json()["tools"];
  const auto off_one = std::find_if(tools.begin(), tools.end(),
                                    [](const auto& tool) { return tool["name"] == "throws"; });
  ASSERT_NE(off_one, tools.end());
  EXPECT_EQ((*off_one)["disabled"]["reason"], "being repaired");
  const auto model = ask(
      first_, "POST", "/v1/sessions/s/tool_calls?format=openai",
      R"({"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"sample__throws","arguments":"{}"}}]})");
  EXPECT_EQ(model.status, 200) << model.body;
  EXPECT_NE(model.body.find("switched off: being repaired"), std::string::npos) << model.body;
  on("sample.throws");
  expect_soon("a gateway accepts it again after", [&] { return try_call(second_).status == 202; });

  nats_->stop(SIGKILL);
  ASSERT_TRUE(nats_->restart());
  test::Awaited<bus::Connection> connected;
  const auto watching = bus_->on_connection(connected.callback());
  if (bus_->connection() != bus::Connection::kConnected) {
    ASSERT_TRUE(connected.next());
  }
  off("sample");
  for (Face* face : {&first_, &second_}) {
    expect_soon("after a restart of NATS, a gateway refuses after",
                [&] { return try_call(*face).status == 409; });
  }
  EXPECT_EQ(listed(first_), 0U);
}

TEST_F(SwitchTools, AQueuedCallIsRejectedAndOneThatRunsContinues) {
  start_collector();
  start_worker(1);
  const auto running = call(first_);
  const auto queued = call(first_, "throws");
  const auto started = [&] {
    const auto events = events_on_bus();
    return std::any_of(events.begin(), events.end(), [&](const auto& event) {
      return event.call_id() == running && event.has_started();
    });
  };
  const auto deadline = steady_clock::now() + test::kPatience;
  while (!started() && steady_clock::now() < deadline) {
  }
  ASSERT_TRUE(started());
  off("sample");
  expect_soon("both gateways refuse after",
              [&] { return try_call(first_).status == 409 && try_call(second_).status == 409; });
  EXPECT_EQ(ask(first_, "POST", "/v1/calls/" + running + "/cancel").status, 202);
  EXPECT_EQ(end_of(running).completed().outcome(), v1::OUTCOME_CANCELLED);
  const auto end = end_of(queued);
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_REJECTED);
  EXPECT_EQ(end.completed().error().code(), "tool_disabled");
  EXPECT_EQ(end.seq(), 1U);  // nothing was started before it
}

TEST_F(SwitchTools, WhoStartsLaterObeysFromItsFirstCallOn) {
  const auto queued = call(first_, "throws");
  off("sample.throws");
  start_worker();
  EXPECT_EQ(end_of(queued).completed().error().code(), "tool_disabled");
  for (int i = 0; i < 5; ++i) {
    start(second_, {.port = 0});
    EXPECT_EQ(try_call(second_).status, 409);
  }
  const auto ready = ask(second_, "GET", "/readyz");
  EXPECT_EQ(ready.json()["switches"], "ok") << ready.body;
}

}  // namespace
}  // namespace toolway
