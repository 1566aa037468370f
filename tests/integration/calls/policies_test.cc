// Policies put and changed, on real NATS: what gateways and workers make of them, and how soon.
#include "tests/integration/calls/policy_fleet.h"

namespace toolway {
namespace {

constexpr const char* kRoles = R"(
roles:
  thrower: {permissions: ["call:sample.throws"]}
  operator: {permissions: ["*"]}
users:
  - {user: boss, roles: operator}
default_roles: thrower
)";

class Policies : public test::PolicyFleet {};

using Names = std::vector<std::string>;

TEST_F(Policies, WhatIsNotGrantedIsRefusedAndNowhereToBeSeen) {
  put(kRoles);
  for (Face* face : {&first_, &second_})
    expect_soon("a gateway refuses what is not granted after",
                [&] { return try_call(*face, "hangs").status == 403; });
  const auto refused = try_call(second_, "sample.hangs");
  EXPECT_EQ(text(refused, "code"), "permission_denied") << refused.body;
  EXPECT_EQ(try_call(second_, "throws").status, 202);
  // Not in a list, a suggestion, a model's names, or what a session opens, restores and closes
  // with.
  EXPECT_EQ(names(ask(first_, "GET", "/v1/sessions/s/tools").json()["tools"]), Names{"throws"});
  const auto near = try_call(first_, "hang");
  EXPECT_EQ(near.status, 404);
  EXPECT_EQ(near.body.find("hangs"), std::string::npos) << near.body;
  const auto model = ask(
      first_, "POST", "/v1/sessions/s/tool_calls?format=openai",
      R"({"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"sample__hangs","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"sample__hang","arguments":"{}"}}]})");
  EXPECT_NE(model.body.find("you may not call sample.hangs"), std::string::npos) << model.body;
  EXPECT_EQ(model.body.find("did you mean"), std::string::npos) << model.body;
  EXPECT_EQ(ask(first_, "POST", "/v1/sessions", R"({"namespaces":["time"]})").status, 403);
  EXPECT_EQ(ask(first_, "POST", "/v1/sessions/s/namespaces", R"({"namespaces":["time"]})").status,
            403);
  const auto opened =
      ask(first_, "POST", "/v1/sessions", R"({"session_id":"t","namespaces":["*"]})");
  EXPECT_EQ(opened.status, 201) << opened.body;
  EXPECT_EQ(names(opened.json()["tools"]), Names{"throws"});
  EXPECT_EQ(opened.body.find("hangs"), std::string::npos) << opened.body;
  const auto elsewhere = ask(first_, "POST", "/v1/sessions/t/close", R"({"pending":"detach"})");
  EXPECT_EQ(elsewhere.json()["available_tools"], OrderedJson::array({"sample.throws"}))
      << elsewhere.body;
  EXPECT_EQ(names(ask(first_, "POST", "/v1/sessions/t/restore", "{}").json()["tools"]),
            Names{"throws"});
  // The fleet is for those who may read it.
  for (const char* path : {"/v1/tools", "/v1/workers"}) {
    EXPECT_EQ(ask(first_, "GET", path).status, 403) << path;
    EXPECT_EQ(ask(first_, "GET", path, {}, {}, "boss").status, 200) << path;
  }
  put("rules: []");
  expect_soon("and everything is allowed again after",
              [&] { return try_call(first_, "hangs").status == 202; });
}

TEST_F(Policies, RulesLookAtArguments) {
  put(R"(
rules:
  - name: no_cheese
    tools: "sample.throws"
    when: {pointers: {/message: cheese}}
    refuse: {message: no cheese today, code: tool_disabled, retry_after_s: 60}
)");
  expect_soon("a gateway refuses by arguments after",
              [&] { return try_call(first_, "throws", R"({"message": "cheese"})").status == 409; });
  const auto refused = try_call(first_, "throws", R"({"message": "cheese"})");
  EXPECT_EQ(text(refused, "detail"), "no cheese today");
  EXPECT_EQ(try_call(first_, "throws", R"({"message": "bread"})").status, 202);
}

/// A rule that comes while a call waits for a worker.
TEST_F(Policies, AWorkerAsksAgain) {
  const auto by_name = call(first_, "throws");
  const auto by_arguments = text(try_call(first_, "throws", R"({"message": "cheese"})"), "call_id");
  put(R"(
rules:
  - {name: by_arguments, when: {pointers: {/message: cheese}}, refuse: no cheese}
  - {name: by_name, tools: "sample.throws", refuse: not any more}
)");
  start_worker();
  const auto end = end_of(by_arguments);
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_REJECTED);
  EXPECT_EQ(end.completed().error().code(), "permission_denied");
  EXPECT_EQ(end.completed().error().message(), "no cheese");
  EXPECT_EQ(end_of(by_name).completed().error().message(), "not any more");
}

TEST_F(Policies, ResultsAreRedacted) {
  put("rules: [{name: hide, tools: 'sample.counts', redact: [/runs]}]");
  start_worker();
  expect_soon("a gateway has the rule after",
              [&] { return ask(first_, "GET", "/readyz").json()["policies"] == "ok"; });
  const auto id = call(first_, "counts");
  EXPECT_EQ(end_of(id).completed().result(), R"({"runs":"[secret]"})");
}

TEST_F(Policies, OneThatCannotBeReadChangesNothing) {
  put(kRoles);
  expect_soon("a gateway refuses after", [&] { return try_call(first_, "hangs").status == 403; });
  put("rules: [{name: a, future: x}]");
  expect_soon("a gateway says that it cannot be read after",
              [&] { return ask(first_, "GET", "/readyz").json()["policies"] == "cannot be read"; });
  EXPECT_EQ(ask(first_, "GET", "/readyz").status, 200);
  EXPECT_EQ(try_call(first_, "hangs").status, 403) << "the last good one";
  // One that starts now has no good one: it accepts nothing.
  start(second_, {.port = 0, .accept_deadline = std::chrono::milliseconds(300)});
  const auto not_ready = ask(second_, "GET", "/readyz");
  EXPECT_EQ(not_ready.status, 503) << not_ready.body;
  EXPECT_EQ(try_call(second_, "throws").status, 503);
  const auto queued = call(first_, "throws");
  start_worker();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  for (const auto& event : events_on_bus()) EXPECT_NE(event.call_id(), queued);
  put("rules: []");
  EXPECT_EQ(end_of(queued).call_id(), queued);
}

}  // namespace
}  // namespace toolway
