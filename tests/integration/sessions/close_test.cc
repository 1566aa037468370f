// Logout, over real NATS and Postgres, with two gateways.
#include <set>

#include "tests/integration/sessions/sessions_fixture.h"

namespace toolway {
namespace {

class CloseSession : public test::SessionsTest {
 protected:
  test::Reply close(const Face& face, const std::string& session, const std::string& body = "") {
    return ask(face, "POST " + path(session, "/close"), body);
  }
};

TEST_F(CloseSession, AccountsForEveryCallAndIsTheSameAgain) {
  ASSERT_EQ(201, open(one_, "s").status);
  const auto quick = run_quick(one_, "s");
  const auto closed = close(one_, "s");
  ASSERT_EQ(200, closed.status) << closed.body.dump();
  EXPECT_EQ("closed", closed.body["status"]);
  EXPECT_EQ("wait", closed.body["closing"]);
  EXPECT_EQ(Json({"sample"}), closed.body["namespaces"]);
  EXPECT_EQ(Json({"sample.gated", "sample.guarded", "sample.quick"}),
            closed.body["available_tools"]);
  EXPECT_EQ(true, closed.body["complete"]) << closed.body.dump();
  ASSERT_EQ(1U, closed.body["completed_calls"].size());
  const auto& call = closed.body["completed_calls"][0];
  EXPECT_EQ(Json(quick), call["metadata"]["call_id"]);
  EXPECT_EQ("sample.quick", call["metadata"]["name"]);
  EXPECT_EQ(false, call["metadata"]["is_async"]);
  EXPECT_EQ("succeeded", call["outcome"]);
  EXPECT_TRUE(closed.body["pending_calls"].empty());
  EXPECT_EQ(1, closed.body["counts"]["completed"]);
  EXPECT_EQ(1, closed.body["counts"]["unread"]);
  const auto again = close(two_, "s", R"({"pending":"detach"})");
  EXPECT_EQ(200, again.status);
  EXPECT_EQ(closed.body, again.body);
}

TEST_F(CloseSession, RefusesCallsOnEveryGatewayWithinASecondAndStillShowsAll) {
  ASSERT_EQ(201, open(one_, "s").status);
  run_quick(two_, "s");  // the other gateway remembers the session as open
  ASSERT_EQ(200, close(one_, "s").status);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  auto refused = ask(two_, "POST " + path("s", "/calls"), R"({"tool":"quick"})");
  while (refused.status != 409 && std::chrono::steady_clock::now() < deadline) {
    refused = ask(two_, "POST " + path("s", "/calls"), R"({"tool":"quick"})");
  }
  for (const Face* face : {&one_, &two_}) {
    EXPECT_EQ("session_closed",
              ask(*face, "POST " + path("s", "/calls"), R"({"tool":"quick"})").body["code"]);
    const auto batch =
        ask(*face, "POST " + path("s", "/calls:batch"), R"({"calls":[{"tool":"quick"}]})");
    EXPECT_EQ(409, batch.status);
    EXPECT_EQ("session_closed", batch.body["code"]);
    const auto model = ask(
        *face, "POST " + path("s", "/tool_calls?format=openai"),
        R"({"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"quick","arguments":"{}"}}]})");
    EXPECT_EQ("session_closed", model.body["code"]) << model.body.dump();
    EXPECT_EQ(200, ask(*face, "GET " + path("s", "/calls")).status);
    EXPECT_EQ(200, ask(*face, "GET " + path("s", "/completions")).status);
    EXPECT_EQ(200,
              ask(*face, "GET " + path("s", "/events"), "", "accept: application/json\r\n").status);
    const auto shown = ask(*face, "GET " + path("s", ""));
    EXPECT_EQ("closed", shown.body["state"]);
    EXPECT_EQ("wait", shown.body["closing"]);
    EXPECT_TRUE(shown.body["closed_at"].is_string());
  }
}

TEST_F(CloseSession, WaitsForWhatRuns) {
  ASSERT_EQ(201, open(one_, "s").status);
  const auto id = run_gated(one_, "s");
  test::RawClient client(one_.port());
  client.send(request("POST " + path("s", "/close"), R"({"timeout_ms":20000})"));
  // It is closed before it waits.
  while (ask(two_, "GET " + path("s", "")).body["state"] != "closed") {
  }
  gate_->open();
  const auto closed = parsed(client.response());
  ASSERT_EQ(200, closed.status);
  EXPECT_TRUE(closed.body["pending_calls"].empty()) << closed.body.dump();
  ASSERT_EQ(1U, closed.body["completed_calls"].size());
  EXPECT_EQ(Json(id), closed.body["completed_calls"][0]["metadata"]["call_id"]);
  EXPECT_EQ("succeeded", closed.body["completed_calls"][0]["outcome"]);
  EXPECT_EQ(1, closed.body["counts"]["completed"]);
  EXPECT_EQ(true, closed.body["complete"]);
}

TEST_F(CloseSession, MarksWhatExceedsTheLimitAndLosesNothing) {
  ASSERT_EQ(201, open(one_, "s").status);
  const auto id = run_gated(one_, "s");
  const auto closed = close(one_, "s", R"({"timeout_ms":100})");
  ASSERT_EQ(1U, closed.body["pending_calls"].size()) << closed.body.dump();
  const auto& pending = closed.body["pending_calls"][0];
  EXPECT_EQ(Json(id), pending["call_id"]);
  EXPECT_EQ("sample.gated", pending["tool"]);
  EXPECT_EQ("tc", pending["tool_call_id"]);
  EXPECT_EQ("running", pending["state"]);
  EXPECT_EQ(true, pending["timed_out"]);
  EXPECT_NE(std::string::npos,
            one_.metrics->scrape().find("toolway_gateway_close_timeouts_total 1"));
  gate_->open();
  const auto later = close(two_, "s", R"({"timeout_ms":20000})");
  ASSERT_EQ(1U, later.body["completed_calls"].size()) << later.body.dump();
  EXPECT_EQ("succeeded", later.body["completed_calls"][0]["outcome"]);
}

TEST_F(CloseSession, DetachLeavesWhatRunsAndCancelEndsIt) {
  ASSERT_EQ(201, open(one_, "s").status);
  run_gated(one_, "s");
  const auto detached = close(one_, "s", R"({"pending":"detach"})");
  EXPECT_EQ("detach", detached.body["closing"]);
  ASSERT_EQ(1U, detached.body["pending_calls"].size());
  EXPECT_EQ(false, detached.body["pending_calls"][0]["timed_out"]);
  const auto cancelled = close(two_, "s", R"({"pending":"cancel","timeout_ms":20000})");
  ASSERT_EQ(1U, cancelled.body["completed_calls"].size()) << cancelled.body.dump();
  EXPECT_EQ("cancelled", cancelled.body["completed_calls"][0]["outcome"]);
}

TEST_F(CloseSession, ClosesWithoutPostgresAndSaysThatItCannotTell) {
  ASSERT_EQ(201, open(one_, "s").status);
  postgres_->stop(SIGQUIT);
  const auto closed = close(one_, "s");
  EXPECT_EQ(200, closed.status) << closed.body.dump();
  EXPECT_EQ("closed", closed.body["status"]);
  EXPECT_EQ(false, closed.body["complete"]);
  EXPECT_TRUE(closed.body["reason"].is_string());
  EXPECT_EQ("session_closed",
            ask(one_, "POST " + path("s", "/calls"), R"({"tool":"quick"})").body["code"]);
}

TEST_F(CloseSession, IsNotUndoneWhenItsClientGoes) {
  ASSERT_EQ(201, open(one_, "s").status);
  run_gated(one_, "s");
  {
    test::RawClient client(one_.port());
    client.send(request("POST " + path("s", "/close")));
    while (ask(two_, "GET " + path("s", "")).body["state"] != "closed") {
    }
  }
  EXPECT_EQ("session_closed",
            ask(one_, "POST " + path("s", "/calls"), R"({"tool":"quick"})").body["code"]);
}

TEST_F(CloseSession, RefusesWhatIsNotAsDocumented) {
  ASSERT_EQ(201, open(one_, "s").status);
  EXPECT_EQ("invalid_request", close(one_, "s", R"({"pending":"kill"})").body["code"]);
  EXPECT_EQ("invalid_request", close(one_, "s", R"({"timeout_ms":300001})").body["code"]);
  EXPECT_EQ("invalid_request", close(one_, "s", R"({"force":true})").body["code"]);
  EXPECT_EQ("unknown_session", close(one_, "other").body["code"]);
  EXPECT_EQ("open", ask(one_, "GET " + path("s", "")).body["state"]);
}

/// Collectors stop while a recorded call runs; then more calls are accepted.
class CloseBehind : public CloseSession {
 protected:
  void SetUp() override {
    CloseSession::SetUp();
    if (HasFatalFailure()) return;
    ASSERT_EQ(201, open(one_, "s").status);
    const auto recorded = run_gated(one_, "s");
    while (ask(one_, "GET " + path("s", "")).body["counts"]["running"] != 1) {
    }
    collector_->stop();
    collector_.reset();
    for (int i = 0; i < 5; ++i) {
      accepted_.insert(
          ask(i % 2 == 0 ? one_ : two_, "POST " + path("s", "/calls"), R"({"tool":"gated"})")
              .body.value("call_id", ""));
    }
    accepted_.insert(recorded);
    ASSERT_EQ(6U, accepted_.size());
  }
  static std::set<std::string> listed(const Json& manifest) {
    std::set<std::string> ids;
    for (const auto& call : manifest["completed_calls"])
      ids.insert(call["metadata"]["call_id"].get<std::string>());
    for (const auto& call : manifest["pending_calls"])
      ids.insert(call["call_id"].get<std::string>());
    return ids;
  }
  std::set<std::string> accepted_;
};

TEST_F(CloseBehind, AManifestIsNotCompleteAndListsWhatTheStreamsShow) {
  const auto waited = close(two_, "s", R"({"timeout_ms":4000})");
  ASSERT_EQ(200, waited.status);
  EXPECT_EQ(false, waited.body["complete"]) << waited.body.dump();
  EXPECT_TRUE(waited.body["reason"].is_string());
  EXPECT_EQ(accepted_, listed(waited.body)) << waited.body.dump();
  gate_->open();
  const auto again = close(one_, "s", R"({"timeout_ms":20000})");
  EXPECT_EQ(false, again.body["complete"]) << again.body.dump();
  EXPECT_EQ(6U, again.body["completed_calls"].size()) << again.body.dump();
  collector_ =
      persistence::collector::start_collector(*bus_, *metrics_, {.postgres_url = postgres_->url()});
  auto last = close(one_, "s");
  for (int i = 0; i < 20 && last.body["complete"] != true; ++i) last = close(one_, "s");
  EXPECT_EQ(true, last.body["complete"]) << last.body.dump();
  EXPECT_EQ(accepted_, listed(last.body));
}

TEST_F(CloseBehind, CancelEndsTheCallsThatOnlyTheStreamsShow) {
  const auto cancelled = close(one_, "s", R"({"pending":"cancel","timeout_ms":20000})");
  ASSERT_EQ(200, cancelled.status);
  EXPECT_EQ(false, cancelled.body["complete"]) << cancelled.body.dump();
  ASSERT_EQ(6U, cancelled.body["completed_calls"].size()) << cancelled.body.dump();
  for (const auto& call : cancelled.body["completed_calls"])
    EXPECT_EQ("cancelled", call["outcome"]);
  EXPECT_EQ(accepted_, listed(cancelled.body));
}

TEST_F(CloseBehind, ListsMailboxAndCountsSaySo) {
  EXPECT_EQ(true, ask(one_, "GET " + path("s", "/calls")).body["behind"]);
  EXPECT_EQ(true, ask(one_, "GET " + path("s", "")).body["counts"]["behind"]);
  const auto sessions = ask(two_, "GET /v1/sessions").body;
  EXPECT_EQ(true, sessions["behind"]);
  EXPECT_EQ(true, sessions["sessions"][0]["counts"]["behind"]);
  EXPECT_EQ(true, ask(one_, "GET " + path("s", "/completions")).body["behind"]);
  collector_ =
      persistence::collector::start_collector(*bus_, *metrics_, {.postgres_url = postgres_->url()});
  auto calls = ask(one_, "GET " + path("s", "/calls")).body;
  for (int i = 0; i < 20 && calls["behind"] != false; ++i)
    calls = ask(one_, "GET " + path("s", "/calls")).body;
  EXPECT_EQ(false, calls["behind"]);
  EXPECT_EQ(6U, calls["calls"].size());
}

}  // namespace
}  // namespace toolway
