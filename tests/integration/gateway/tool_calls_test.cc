// Tools as models see them, and a model's own message, over sockets.
#include <array>
#include <atomic>
#include <set>

#include "tests/integration/gateway/gateway_fixture.h"
#include "tests/integration/gateway/http_client.h"
#include "tools/model/kinds.h"

namespace toolway {
namespace {

using test::body;
using test::status;

/// Completes calls as their arguments say; leaves those of `never` alone.
class ScriptedWorker {
 public:
  explicit ScriptedWorker(bus::Bus& bus) : bus_(bus) {
    pull_ = bus.pull({"CALLS", proto::call_durable("native", proto::Lane::kNormal, 0)},
                     [this](bus::Delivery delivery) {
                       if (const auto call = proto::decode_call(delivery.payload)) run(*call);
                       delivery.ack();
                     });
    pull_->allow(10'000);
  }
  std::size_t runs() const { return runs_; }

 private:
  void run(const v1::CallRequest& call) {
    ++runs_;
    const std::string& tool = call.labels().tool();
    if (tool == "never" || tool == "steps") return;
    auto event = test::completion_of(call);
    auto& completed = *event.mutable_completed();
    completed.set_started_at_us(1);
    if (tool == "fails") {
      completed.set_outcome(v1::OUTCOME_FAILED);
      completed.mutable_error()->set_code("quota_exceeded");
      completed.mutable_error()->set_message("the daily quota is used up");
    } else if (tool == "preview") {
      completed.set_result("[1]");
      completed.mutable_blob()->set_size(1'000'000);
    } else {
      completed.set_result(call.arguments());
    }
    bus_.publish({.subject = test::event_subject_of(call), .payload = proto::encode(event)},
                 [](const Result<bus::PubAck>& ack) { EXPECT_TRUE(ack); });
  }

  bus::Bus& bus_;
  std::atomic<std::size_t> runs_{0};
  std::unique_ptr<bus::PullConsumer> pull_;
};

tools::model::RegisteredToolPtr tool(tools::model::Spec spec) {
  if (spec.input_schema.is_null()) {
    spec.input_schema = {{"type", "object"}, {"properties", {{"n", {{"type", "integer"}}}}}};
  }
  return *tools::model::register_tool(tools::model::declared_tool(std::move(spec)));
}

class ModelMessages : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(memory_->provision({.pools = {{"native", 1}}}));
    store_ = std::make_unique<test::MemoryStore>(*memory_);
    gateway::GatewayOptions options{.port = 0};
    options.accept_deadline = std::chrono::milliseconds(100);
    options.edge.trust_user_header = {"loopback"};
    auto started = gateway::server::start_gateway(bus_, *store_, live_, *metrics_, clock_, options);
    ASSERT_TRUE(started) << started.error().message;
    gateway_ = std::move(*started);
    ASSERT_EQ(
        status(ask("POST /v1/sessions", R"({"session_id":"s","namespaces":["default","x"]})")),
        201);
    worker_ = std::make_unique<ScriptedWorker>(*memory_);
  }
  std::string ask(const std::string& line, const std::string& body = "") {
    return test::ask(gateway_->port(), line, body);
  }
  std::string call(const std::string& query, const std::string& message) {
    return ask("POST /v1/sessions/s/tool_calls" + query, message);
  }
  static std::string chat(const std::vector<std::array<std::string, 3>>& calls) {
    Json list = Json::array();
    for (const auto& [id, name, arguments] : calls) {
      list.push_back({{"id", id},
                      {"type", "function"},
                      {"function", {{"name", name}, {"arguments", arguments}}}});
    }
    return to_text(Json{{"role", "assistant"}, {"content", nullptr}, {"tool_calls", list}});
  }

  std::unique_ptr<bus::InMemoryBus> memory_ = bus::make_in_memory_bus();
  test::LossyBus bus_{*memory_};
  std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("gateway");
  SystemClock clock_;
  tools::model::LiveRegistry live_{*tools::model::Registry::of(
      {tool({.name = "echo", .description = "Echoes."}),
       tool({.name = "fails", .ns = "x", .category = "bad"}),
       tool({.name = "never", .ns = "x", .inline_wait = std::chrono::milliseconds(30)}),
       tool({.name = "preview", .ns = "x"}),
       tool({.name = "quick_steps", .ns = "x", .multi_step = true}),
       tool({.name = "steps",
             .ns = "x",
             .multi_step = true,
             .inline_wait = std::chrono::milliseconds(30)}),
       tool({.name = "hidden", .ns = "other"})})};
  std::unique_ptr<test::MemoryStore> store_;
  std::unique_ptr<gateway::Gateway> gateway_;
  std::unique_ptr<ScriptedWorker> worker_;
};

TEST_F(ModelMessages, ToolsComeInEveryFormat) {
  const auto digest = body(ask("GET /v1/sessions/s/tools"))["digest"];
  for (const char* format : {"toolway", "openai", "openai-responses", "anthropic", "mcp"}) {
    const auto list = body(ask(std::string("GET /v1/sessions/s/tools?format=") + format));
    EXPECT_EQ(list["digest"], digest);
    EXPECT_EQ(list["tools"].size(), 6U) << format;
    EXPECT_EQ(list.dump().find("hidden"), std::string::npos);
  }
  EXPECT_EQ(body(ask("GET /v1/sessions/s/tools?format=openai"))["tools"][1]["function"]["name"],
            "x__fails");
  EXPECT_EQ(status(ask("GET /v1/sessions/s/tools?format=gemini")), 422);
  EXPECT_EQ(body(ask("GET /v1/tools"))["tools"].size(), 7U);
  EXPECT_EQ(body(ask("GET /v1/tools?category=bad&format=mcp"))["tools"][0]["name"], "x__fails");
  EXPECT_EQ(body(ask("GET /v1/tools?q=ECHO"))["tools"].size(), 1U);
  EXPECT_EQ(status(ask("GET /v1/tools?kind=perl")), 422);
  EXPECT_EQ(status(ask("GET /v1/tools?color=red")), 422);
}

TEST_F(ModelMessages, EveryCallIsAnsweredOnceInOrder) {
  const auto response = call("?format=openai", chat({{"c1", "echo", R"({"n":1})"},
                                                     {"c2", "x__fails", ""},
                                                     {"c3", "ecko", "{}"},
                                                     {"c4", "echo", "{\"n\":"},
                                                     {"c5", "echo", R"({"n":"one"})"},
                                                     {"c6", "x__steps", "{}"},
                                                     {"c1", "echo", R"({ "n": 1 })"},
                                                     {"c7", "hidden", "{}"},
                                                     {"c8", "x.preview", "{}"},
                                                     {"c9", "x__never", "{}"},
                                                     {"ca", "x__fails", "{}"},
                                                     {"ca", "echo", "{}"}}));
  ASSERT_EQ(status(response), 200) << response;
  const auto answer = body(response);
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < answer["messages"].size(); ++i) {
    const auto& message = answer["messages"][i];
    const auto& state = answer["calls"][i];
    EXPECT_EQ(message["role"], "tool");
    EXPECT_EQ(message["tool_call_id"], state["tool_call_id"]);
    shown.push_back(message["tool_call_id"].get<std::string>() + " " +
                    state["tool"].get<std::string>() + " " + state["status"].get<std::string>() +
                    " " + message["content"].get<std::string>().substr(0, 24));
  }
  EXPECT_EQ(shown, (std::vector<std::string>{"c1 default.echo completed {\n  \"n\": 1\n}",
                                             "c2 x.fails completed tool_error: the daily qu",
                                             "c3 ecko refused tool_error: unknown tool",
                                             "c4 echo refused tool_error: the argument",
                                             "c5 default.echo refused tool_error: /n: expected",
                                             "c6 x.steps detached {\n  \"status\": \"streaming",
                                             "c7 hidden refused tool_error: unknown tool",
                                             "c8 x.preview completed [\n  1\n]\n\n[This is only t",
                                             "c9 x.never detached {\n  \"status\": \"queued\",\n",
                                             "ca x__fails refused tool_error: several diff"}));
  EXPECT_EQ(answer["calls"][0]["outcome"], "succeeded");
  EXPECT_EQ(answer["calls"][1]["outcome"], "failed");
  EXPECT_EQ(answer["calls"][2]["error"]["suggestions"], Json::array({"echo"}));
  EXPECT_EQ(answer["calls"][8]["call_id"],
            Json::parse(answer["messages"][8]["content"].get<std::string>())["call_id"]);
  memory_->quiesce();
  EXPECT_EQ(worker_->runs(), 5U);  // c1, c2, c6, c8, c9
}

TEST_F(ModelMessages, AnthropicGetsOneMessageOfResults) {
  const auto answer = body(call(
      "?format=anthropic", R"({"id":"msg","role":"assistant","content":[{"type":"text","text":"so"},
    {"type":"tool_use","id":"t1","name":"echo","input":{"n":5}},{"type":"tool_use","id":"t2","name":"x__fails","input":{}}]})"));
  EXPECT_EQ(
      answer["messages"],
      Json::parse(
          R"([{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"{\n  \"n\": 5\n}"},
              {"type":"tool_result","tool_use_id":"t2","content":"tool_error: the daily quota is used up","is_error":true}]}])"));
}

TEST_F(ModelMessages, ResponsesGetItemsAndMayBeAList) {
  const auto answer = body(call(
      "?format=openai-responses",
      R"([{"type":"reasoning"},{"type":"function_call","call_id":"c1","name":"echo","arguments":"{\"n\":5}"}])"));
  EXPECT_EQ(answer["messages"],
            Json::parse(
                R"([{"type":"function_call_output","call_id":"c1","output":"{\n  \"n\": 5\n}"}])"));
}

TEST_F(ModelMessages, NothingIsWaitedForWhenAskedNotTo) {
  const auto answer = body(call("?format=openai&inline_ms=0", chat({{"c1", "echo", "{}"}})));
  EXPECT_EQ(answer["calls"][0]["status"], "detached");
  EXPECT_TRUE(CallId::parse(answer["calls"][0]["call_id"].get<std::string>()));
  const auto waited = body(
      call("?format=openai&inline_ms=60", chat({{"c1", "x__never", "{}"}, {"c2", "echo", "{}"}})));
  EXPECT_EQ(waited["calls"][0]["status"], "detached");
  EXPECT_EQ(waited["calls"][1]["status"], "completed");
}

TEST_F(ModelMessages, AMultiStepCallThatEndsInTimeIsAnsweredWithItsResult) {
  const auto answer = body(call(
      "?format=openai", chat({{"c1", "x__quick_steps", R"({"n":7})"}, {"c2", "x__steps", "{}"}})));
  EXPECT_EQ(answer["calls"][0]["status"], "completed");
  EXPECT_EQ(answer["calls"][0]["outcome"], "succeeded");
  EXPECT_EQ(answer["messages"][0]["content"], "{\n  \"n\": 7\n}");
  EXPECT_EQ(answer["calls"][1]["status"], "detached") << "it is slow";
  const auto at_once =
      body(call("?format=openai&inline_ms=0", chat({{"c1", "x__quick_steps", "{}"}})));
  EXPECT_EQ(at_once["calls"][0]["status"], "detached");
}

TEST_F(ModelMessages, TheModelsIdIsTheCallsLabel) {
  const auto answer = body(call("?format=openai", chat({{"call_abc", "echo", "{}"}})));
  const auto shown = body(ask("GET /v1/calls/" + answer["calls"][0]["call_id"].get<std::string>()));
  EXPECT_EQ(shown["tool_call_id"], "call_abc");
}

TEST_F(ModelMessages, AMessageWithoutCallsHasNothingToAppend) {
  EXPECT_EQ(body(call("?format=openai", R"({"role":"assistant","content":"done"})")),
            Json::parse(R"({"messages":[],"calls":[]})"));
}

TEST_F(ModelMessages, AHundredAreRunAndAThousandAnswered) {
  std::vector<std::array<std::string, 3>> calls;
  for (int i = 0; i < 1000; ++i) calls.push_back({"c" + std::to_string(i), "echo", "{}"});
  const auto answer = body(call("?format=openai", chat(calls)));
  ASSERT_EQ(answer["messages"].size(), 1000U);
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(answer["messages"][i]["tool_call_id"], "c" + std::to_string(i));
    EXPECT_EQ(answer["calls"][i]["status"], i < 100 ? "completed" : "refused") << i;
  }
  EXPECT_EQ(worker_->runs(), 100U);
  calls.push_back({"c1000", "echo", "{}"});
  const auto refused = call("?format=openai", chat(calls));
  EXPECT_EQ(status(refused), 422);
  EXPECT_EQ(body(refused)["errors"][0]["message"],
            "the message has 1001 calls; at most 1000 are answered, and 100 of them run");
  EXPECT_EQ(worker_->runs(), 100U);
}

TEST_F(ModelMessages, EveryFormatMayHaveAnIdempotencyKey) {
  const std::string item =
      R"({"type":"function_call","call_id":"c","name":"echo","arguments":"{\"n\":1}"})";
  const std::pair<std::string, std::string> messages[] = {
      {"openai", chat({{"c", "echo", R"({"n":1})"}})},
      {"anthropic", R"({"content":[{"type":"tool_use","id":"c","name":"echo","input":{"n":1}}]})"},
      {"openai-responses", R"({"output":[)" + item + "]}"},
      {"openai-responses", item},
      {"openai-responses", "[" + item + "]"},
      {"openai-responses",
       "[" + item + R"(,{"type":"text","text":")" + std::string(100'000, 'x') + "\"}]"}};
  std::set<std::string> ids;
  for (const auto& [format, message] : messages) {
    const std::string key = "idempotency-key: k" + std::to_string(ids.size()) + "\r\n";
    const auto answer = [&](const std::string& text) {
      return test::ask(gateway_->port(),
                       "POST /v1/sessions/s/tool_calls?inline_ms=0&format=" + format, text, key);
    };
    const auto first = answer(message);
    ASSERT_EQ(status(first), 200) << message.substr(0, 200) << first;
    EXPECT_NE(answer(message).find("\r\nidempotent-replayed: true\r\n"), std::string::npos);
    EXPECT_EQ(body(answer(message))["calls"], body(first)["calls"]);
    ids.insert(body(first)["calls"][0]["call_id"].get<std::string>());
  }
  EXPECT_EQ(ids.size(), std::size(messages));
}

TEST_F(ModelMessages, WhatCannotBeAnsweredIsRefusedWhole) {
  const std::string none = R"({"role":"assistant","content":"x"})";
  EXPECT_EQ(status(call("", none)), 422);
  EXPECT_EQ(status(call("?format=mcp", none)), 422);
  EXPECT_EQ(status(call("?format=openai&inline_ms=300001", none)), 422);
  EXPECT_EQ(status(call("?format=openai", "{")), 400);
  EXPECT_EQ(status(call("?format=openai", R"({"role":"user","content":"x"})")), 422);
  EXPECT_EQ(status(ask("POST /v1/sessions/nobody/tool_calls?format=openai", none)), 404);
  const auto no_id = body(call(
      "?format=openai",
      R"({"role":"assistant","tool_calls":[{"id":"c","function":{"name":"echo"}},{"function":{"name":"echo"}}]})"));
  EXPECT_EQ(no_id["code"], "invalid_request");
  EXPECT_EQ(no_id["errors"][0]["path"], "/tool_calls/1/id");
  EXPECT_EQ(worker_->runs(), 0U);
  EXPECT_EQ(status(ask("GET /v1/sessions/s/tool_calls")), 405);
}

TEST_F(ModelMessages, WithoutTheBusTheMessageMayBeSentAgain) {
  memory_->disconnect();
  const auto away = call("?format=openai", chat({{"c1", "echo", "{}"}, {"c2", "nothing", "{}"}}));
  EXPECT_EQ(status(away), 503);
  EXPECT_NE(away.find("\r\nretry-after: "), std::string::npos);
  memory_->reconnect();
  EXPECT_EQ(status(call("?format=openai", chat({{"c1", "echo", "{}"}}))), 200);
  bus_.drop_acks = true;  // may or may not run: the model is told, and nothing is sent again
  const auto unknown = body(call("?format=openai", chat({{"c1", "echo", "{}"}})));
  EXPECT_EQ(unknown["calls"][0]["status"], "refused");
  EXPECT_EQ(unknown["calls"][0]["error"]["code"], "accept_unknown");
  EXPECT_TRUE(CallId::parse(unknown["calls"][0]["call_id"].get<std::string>()));
}

}  // namespace
}  // namespace toolway
