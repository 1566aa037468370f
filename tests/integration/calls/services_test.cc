// Rules that have services asked, on real NATS with a real server: what becomes of calls and
// results.
#include "extensions/services/service_desk.h"

#include <future>

#include "monitoring/metric_names.h"
#include "tests/integration/calls/policy_fleet.h"
#include "tests/support/scripted_server.h"
#include "tools/http/http_url.h"

namespace toolway {
namespace {

using namespace std::chrono_literals;

class AskedServices : public test::PolicyFleet {
 protected:
  using Decide = std::function<std::string(const Json& question)>;

  void SetUp() override {
    PolicyFleet::SetUp();
    if (HasFatalFailure()) return;
    auto desk = extensions::services::ServiceDesk::start(
        {{.origin = tools::http::HttpUrl::parse(server_.url())->origin(),
          .keys = {std::string(32, 'k')},
          .addresses = std::make_shared<const tools::http::AddressPolicy>(
              *tools::http::AddressPolicy::create({"127.0.0.1"}))}},
        clock_);
    ASSERT_TRUE(desk);
    desk_ = *desk;
    for (Face* face : {&first_, &second_}) start(*face, {.port = 0, .services = desk_});
  }
  /// Puts rules, and waits until the first gateway has them: it refuses calls to `sample.throws`
  /// that say `mark`.
  void put_and_wait(const std::string& rules) {
    put("rules:\n  - {name: mark, when: {pointers: {/message: mark}}, refuse: marked}\n" + rules);
    for (Face* face : {&first_, &second_})
      expect_soon("a gateway has the rules after", [&] {
        return try_call(*face, "throws", R"({"message": "mark"})").status == 403;
      });
  }
  std::string ask_rule(const std::string& more = "") {
    return fmt::format("  - {{name: ask, tools: 'sample.*', ask: {{url: '{}'{}}}}}\n",
                       server_.url("/decide"), more);
  }
  void answers(Decide decide) {
    const std::scoped_lock lock(mutex_);
    decide_ = std::move(decide);
  }
  void answers(std::string body) {
    answers([body = std::move(body)](const Json&) { return body; });
  }
  double counted(const Face& face, std::string_view decision) {
    return face.metrics
        ->counter(monitoring::kExtensionDecisions, {{"extension", "http"}, {"decision", decision}})
        .value();
  }
  /// The call as workers get it.
  v1::CallRequest published(const std::string& call_id) {
    for (std::uint64_t next = 1;;) {
      test::Awaited<Result<bus::StoredMessage>> got;
      bus_->next_message(proto::kCallsStream, "call.>", next, bus::ReadFrom::kLeader,
                         got.callback());
      const auto message = got.next();
      if (!message || !*message) break;
      next = (*message)->sequence + 1;
      const auto request = proto::decode_call((*message)->payload);
      if (request && request->call_id() == call_id) return *request;
    }
    ADD_FAILURE() << call_id << " was not published";
    return {};
  }
  void worker_with_desk() {
    auto worker = workers::pool::start_worker(*bus_, *metrics_, registry_, clock_,
                                              {.slots = 4, .services = desk_});
    ASSERT_TRUE(worker);
    worker_ = std::move(*worker);
  }

  std::mutex mutex_;
  Decide decide_ = [](const Json&) { return R"({"decision": "allow"})"; };
  test::ScriptedServer server_{
      [this](test::ScriptedConnection& connection, const std::string& request) {
        const auto question = Json::parse(request.substr(request.find("\r\n\r\n") + 4));
        Decide decide;
        {
          const std::scoped_lock lock(mutex_);
          decide = decide_;
        }
        const auto body = decide(question);
        if (body.empty()) return false;
        return connection.send(test::ScriptedServer::ok(body));
      }};
  std::shared_ptr<extensions::services::ServiceDesk> desk_;
};

TEST_F(AskedServices, LetInRefuseHoldAndLower) {
  put_and_wait(ask_rule());
  EXPECT_EQ(try_call(first_, "throws").status, 202);
  answers(
      R"({"decision": "refuse", "code": "rate_limited", "message": "later", "retry_after_s": 7})");
  const auto refused = try_call(second_, "throws");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(text(refused, "detail"), "later");
  answers(R"({"decision": "hold", "approval": {"requester_may_decide": true}})");
  const auto held = try_call(first_, "throws");
  EXPECT_EQ(text(held, "status"), "awaiting_approval") << held.body;
  answers(R"({"decision": "allow", "limits": {"run_ms": 1234, "total_ms": 99999999}})");
  const auto request = published(text(try_call(first_, "throws"), "call_id"));
  EXPECT_EQ(request.limits().run_ms(), 1234U);
  EXPECT_LT(request.limits().total_ms(), 99'999'999U) << "never raised";
  EXPECT_EQ(request.arguments(), "{}");
  EXPECT_EQ(counted(first_, "allow"), 2);
  EXPECT_EQ(counted(first_, "hold"), 1);
  EXPECT_EQ(counted(second_, "refuse"), 1);
}

TEST_F(AskedServices, AHeldCallRunsOnceItIsApproved) {
  put_and_wait(ask_rule());
  answers(R"({"decision": "hold", "approval": {"requester_may_decide": true}})");
  start_collector();
  worker_with_desk();
  const auto id = text(try_call(first_, "counts"), "call_id");
  ask_until(first_, "/v1/calls/" + id, [](const auto& answer) { return answer.status == 200; });
  answers(R"({"decision": "refuse"})");  // a worker does not ask again
  const auto approved = ask(second_, "POST", "/v1/calls/" + id + "/approve", "{}");
  EXPECT_EQ(approved.status, 200) << approved.body;
  EXPECT_EQ(end_of(id).completed().outcome(), v1::OUTCOME_SUCCEEDED);
}

TEST_F(AskedServices, ThePoolThatOneNamesGetsTheCall) {
  put_and_wait(ask_rule());
  answers(R"({"decision": "allow", "pool": "nowhere"})");
  const auto refused = try_call(first_, "throws");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(text(refused, "code"), "pool_unavailable");
}

TEST_F(AskedServices, APoolThatThereIsRunsTheCallThatAServiceSendsThere) {
  ASSERT_TRUE(bus_->provision({.pools = {{"native"}, {"quiet"}}}));
  start_worker();
  auto quiet = workers::pool::start_worker(*bus_, *metrics_, registry_, clock_,
                                           {.pool = "quiet", .worker_id = "quiet", .slots = 4});
  ASSERT_TRUE(quiet) << quiet.error().message;
  put_and_wait(ask_rule());
  answers(R"({"decision": "allow", "pool": "quiet"})");
  // Gateways look every second which pools there are.
  std::string id;
  expect_soon("a gateway knows the new pool after", [&] {
    if (id.empty()) id = text(try_call(first_, "counts"), "call_id");
    return !id.empty();
  });
  EXPECT_EQ(published(id).pool(), "quiet");
  const auto end = end_of(id);
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(end.worker_id(), "quiet");
  answers(R"({"decision": "allow"})");
  EXPECT_NE(end_of(text(try_call(first_, "counts"), "call_id")).worker_id(), "quiet");
}

TEST_F(AskedServices, WithoutAnAnswerTheRuleDecides) {
  put_and_wait(ask_rule(", on_failure: open"));
  answers("");
  EXPECT_EQ(try_call(first_, "throws").status, 202);
  put_and_wait(ask_rule());
  const auto refused = try_call(first_, "throws");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(text(refused, "code"), "timeout");
  EXPECT_EQ(counted(first_, "failed"), 2);
  EXPECT_EQ(try_call(first_, "throws", R"({"message": "mark"})").status, 403)
      << "other rules go on";
}

TEST_F(AskedServices, ACallThatNoRuleNamesAsksNothing) {
  put_and_wait("  - {name: ask, tools: 'web.*', ask: {url: '" + server_.url("/decide") + "'}}\n");
  answers("");
  EXPECT_EQ(try_call(first_, "throws").status, 202);
  EXPECT_TRUE(server_.requests().empty());
}

TEST_F(AskedServices, ARepeatedRequestIsNotAskedAboutAgain) {
  put_and_wait(ask_rule());
  const auto post = [&] {
    return ask(first_, "POST", "/v1/sessions/s/calls", R"({"tool":"throws"})",
               {{"Idempotency-Key", "k"}});
  };
  const auto first = post();
  EXPECT_EQ(first.status, 202);
  answers(R"({"decision": "refuse"})");
  const auto again = post();
  EXPECT_EQ(again.status, 202);
  EXPECT_EQ(text(again, "call_id"), text(first, "call_id"));
  EXPECT_EQ(server_.requests().size(), 1U);
  // A refusal leaves the key free.
  const auto other = [&](const char* key) {
    return ask(first_, "POST", "/v1/sessions/s/calls", R"({"tool":"throws"})",
               {{"Idempotency-Key", key}})
        .status;
  };
  EXPECT_EQ(other("l"), 403);
  answers(R"({"decision": "allow"})");
  EXPECT_EQ(other("l"), 202);
}

TEST_F(AskedServices, WhatALimitRefusesAsksNothing) {
  put_and_wait(ask_rule() +
               "  - {name: slow, tools: 'sample.*', limit: {rate: 2/h, burst: 2, per: user}}\n");
  const auto post = [&](const char* key) {
    return ask(first_, "POST", "/v1/sessions/s/calls", R"({"tool":"throws"})",
               {{"Idempotency-Key", key}})
        .status;
  };
  EXPECT_EQ(post("first"), 202);
  EXPECT_EQ(post("first"), 202) << "a repeated request takes no token";
  answers(R"({"decision": "refuse"})");
  EXPECT_EQ(post("second"), 403) << "which has taken the last one";
  EXPECT_EQ(post("third"), 429);
  EXPECT_EQ(post("third"), 429);
  EXPECT_EQ(server_.requests().size(), 2U);
}

TEST_F(AskedServices, CallsOfABatchAreAskedAboutAtOnce) {
  put_and_wait(ask_rule());
  answers([](const Json&) {
    std::this_thread::sleep_for(600ms);
    return R"({"decision": "allow"})";
  });
  std::string calls;
  for (int i = 0; i < 5; ++i) calls += std::string(i > 0 ? "," : "") + R"({"tool":"throws"})";
  const auto begun = std::chrono::steady_clock::now();
  const auto batch =
      ask(first_, "POST", "/v1/sessions/s/calls:batch", R"({"calls":[)" + calls + "]}");
  EXPECT_EQ(batch.status, 202) << batch.body;
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 2s) << "one after the other: 3 s";
  EXPECT_EQ(server_.requests().size(), 5U);
}

/// The gateway's thread never waits for a service: those who only read are answered before it says
/// anything.
TEST_F(AskedServices, OthersAreAnsweredWhileOneIsSilent) {
  put_and_wait(ask_rule(", timeout_ms: 2000"));
  std::promise<void> others_were_answered;
  answers([&](const Json&) {
    const auto answered = others_were_answered.get_future().wait_for(test::kPatience);
    return answered == std::future_status::ready ? R"({"decision": "allow"})" : "";
  });
  std::jthread slow([&] { EXPECT_EQ(try_call(first_, "throws").status, 202); });
  while (server_.requests().empty()) std::this_thread::sleep_for(1ms);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(ask(first_, "GET", "/v1/sessions/s/tools").status, 200) << i;
  others_were_answered.set_value();
}

TEST_F(AskedServices, AboutResults) {
  worker_with_desk();
  put_and_wait(ask_rule(", when: after"));
  answers([](const Json& question) {
    EXPECT_EQ(question["type"], "call.after");
    EXPECT_TRUE(question["data"]["result"].contains("runs"));
    return R"({"decision": "redact", "places": ["/runs"]})";
  });
  EXPECT_EQ(end_of(call(first_, "counts")).completed().result(), R"({"runs":"[secret]"})");
  answers(R"({"decision": "replace", "result": {"runs": 0}})");
  EXPECT_EQ(end_of(call(first_, "counts")).completed().result(), R"({"runs":0})");
  answers(R"({"decision": "refuse", "message": "not for you"})");
  const auto refused = end_of(call(first_, "counts"));
  EXPECT_EQ(refused.completed().outcome(), v1::OUTCOME_FAILED);
  EXPECT_EQ(refused.completed().error().code(), "permission_denied");
  EXPECT_EQ(refused.completed().error().message(), "not for you");
  answers("<html>");
  const auto unanswered = end_of(call(first_, "counts"));
  EXPECT_EQ(unanswered.completed().error().code(), "internal");
  EXPECT_EQ(unanswered.completed().result(), "");
  put_and_wait(ask_rule(", when: after, on_failure: open"));
  std::this_thread::sleep_for(2s);  // the worker has it, too
  EXPECT_EQ(end_of(call(first_, "counts")).completed().outcome(), v1::OUTCOME_SUCCEEDED);
}

/// What patterns match in arguments is stored, and shown to no reader.
TEST_F(AskedServices, PatternsHideArguments) {
  put_and_wait(ask_rule() + "patterns: ['sk-[0-9]{6,}']\n");
  start_collector();
  const auto id =
      text(try_call(first_, "throws", R"({"message": "my key is sk-123456789"})"), "call_id");
  const auto call =
      ask_until(first_, "/v1/calls/" + id, [](const auto& answer) { return answer.status == 200; });
  EXPECT_EQ(call.json()["arguments"]["message"], "[secret]") << call.body;
  for (const auto& request : server_.requests())
    EXPECT_EQ(request.find("sk-123"), std::string::npos) << "a service is a reader";
  const auto wrong = try_call(first_, "throws", R"({"message": "m", "standard": "sk-123456789"})");
  EXPECT_EQ(wrong.status, 422);
  EXPECT_EQ(wrong.body.find("sk-123"), std::string::npos) << wrong.body;
  const auto named = try_call(first_, "throws", R"({"sk-123456789": 1})");
  EXPECT_EQ(named.status, 422);
  EXPECT_EQ(named.body.find("sk-123"), std::string::npos) << named.body;
}

}  // namespace
}  // namespace toolway
