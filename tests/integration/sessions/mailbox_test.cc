// Login and the mailbox, over real NATS and Postgres, with two gateways.
#include "tests/integration/sessions/sessions_fixture.h"

namespace toolway {
namespace {

class Mailbox : public test::SessionsTest {
 protected:
  static std::vector<std::string> calls(const Json& page) {
    std::vector<std::string> found;
    for (const auto& entry : page["completions"]) found.push_back(entry["call_id"]);
    return found;
  }
  test::Reply ack(const Face& face, const std::string& cursor) {
    return ask(face, "POST " + path("s", "/completions:ack"), R"({"cursor":")" + cursor + R"("})");
  }
};

TEST_F(Mailbox, GivesEachCompletionOncePerAcknowledgedCursor) {
  ASSERT_EQ(201, open(one_, "s").status);
  std::vector<std::string> ran;
  for (int i = 0; i < 5; ++i) ran.push_back(run_quick(i % 2 == 0 ? one_ : two_, "s"));
  const auto first = ask(two_, "GET " + path("s", "/completions?limit=2"));
  ASSERT_EQ(200, first.status) << first.body.dump();
  EXPECT_EQ(true, first.body["more"]);
  EXPECT_EQ("0", first.body["acknowledged"]);
  const auto rest =
      ask(one_, "GET " + path("s", "/completions?after=" + first.body["next"].get<std::string>()));
  EXPECT_EQ(false, rest.body["more"]);
  auto seen = calls(first.body);
  for (const auto& call : calls(rest.body)) seen.push_back(call);
  EXPECT_EQ(ran, seen);
  EXPECT_EQ("succeeded", rest.body["completions"][0]["outcome"]);
  // Acknowledged through one gateway, it is read through the other.
  const auto acked = ack(one_, first.body["next"]);
  EXPECT_EQ(first.body["next"], acked.body["cursor"]) << acked.body.dump();
  const auto unread = ask(two_, "GET " + path("s", "/completions"));
  EXPECT_EQ(calls(rest.body), calls(unread.body));
  EXPECT_EQ(3, ask(two_, "GET " + path("s", "")).body["counts"]["unread"]);
  // Never backwards.
  EXPECT_EQ(first.body["next"], ack(two_, first.body["completions"][0]["cursor"]).body["cursor"]);
  EXPECT_EQ(first.body["next"], ack(two_, "0").body["cursor"]);
  EXPECT_EQ(rest.body["next"], ack(two_, rest.body["next"]).body["cursor"]);
  EXPECT_TRUE(ask(one_, "GET " + path("s", "/completions")).body["completions"].empty());
  EXPECT_EQ(5U, ask(one_, "GET " + path("s", "/completions?after=0")).body["completions"].size());
}

TEST_F(Mailbox, RefusesCursorsThatItDidNotGive) {
  ASSERT_EQ(201, open(one_, "s").status);
  run_quick(one_, "s");
  const auto page = ask(one_, "GET " + path("s", "/completions"));
  const std::string last = page.body["next"];
  const auto dash = last.find('-');
  const std::string beyond = std::to_string(std::stoull(last.substr(0, dash)) + 1'000'000) + "-1";
  for (const std::string cursor :
       {"", "x", "1", "-1", "1-", "01-1", "1-1-1", "99999999999999999999-1"}) {
    EXPECT_EQ("invalid_cursor", ack(one_, cursor).body["code"]) << cursor;
  }
  EXPECT_EQ("invalid_cursor", ack(one_, beyond).body["code"]);
  EXPECT_EQ(400, ask(one_, "GET " + path("s", "/completions?after=x")).status);
  EXPECT_EQ(1, ask(one_, "GET " + path("s", "")).body["counts"]["unread"]);
}

TEST_F(Mailbox, HasWhatWasSeenLiveAndSays503WithoutPostgres) {
  ASSERT_EQ(201, open(one_, "s").status);
  for (int i = 0; i < 20; ++i) {
    const auto id = run_quick(one_, "s");  // its end came live
    const auto page = ask(two_, "GET " + path("s", "/completions"));
    ASSERT_FALSE(page.body["completions"].empty());
    EXPECT_EQ(Json(id), page.body["completions"].back()["call_id"]);
  }
  postgres_->stop(SIGQUIT);
  const auto away = ask(one_, "GET " + path("s", "/completions"));
  EXPECT_EQ(503, away.status);
  EXPECT_EQ("store_unavailable", away.body["code"]);
}

TEST_F(Mailbox, RestoreBringsBackTheSessionAndWhatFinishedSince) {
  const auto opened = open(one_, "s");
  const auto before = run_quick(one_, "s");
  const auto detached = run_gated(one_, "s");
  ASSERT_EQ(200, ask(one_, "POST " + path("s", "/close"), R"({"pending":"detach"})").status);
  gate_->open();
  // The close waits for it, and so tells when it has ended.
  ASSERT_TRUE(ask(two_, "POST " + path("s", "/close")).body["pending_calls"].empty());
  const auto restored = ask(two_, "POST " + path("s", "/restore"));
  ASSERT_EQ(200, restored.status) << restored.body.dump();
  EXPECT_EQ("open", restored.body["state"]);
  EXPECT_TRUE(restored.body["closing"].is_null());
  EXPECT_EQ(opened.body["namespaces"], restored.body["namespaces"]);
  EXPECT_EQ(opened.body["tools"], restored.body["tools"]);
  EXPECT_EQ(opened.body["toolset_digest"], restored.body["toolset_digest"]);
  EXPECT_EQ(false, restored.body["tools_changed"]);
  EXPECT_EQ((std::vector<std::string>{before, detached}), calls(restored.body));
  EXPECT_EQ(false, restored.body["more"]);
  run_quick(two_, "s");
  // One that is open is shown the same way.
  const auto again = ask(two_, "POST " + path("s", "/restore"), "{}");
  EXPECT_EQ(200, again.status);
  EXPECT_EQ(3U, again.body["completions"].size());
}

TEST_F(Mailbox, RestoreSaysWhenTheToolsHaveChanged) {
  open(one_, "s");
  const auto closed = ask(one_, "POST " + path("s", "/close"));
  auto registry = std::make_shared<tools::model::Registry>();
  ASSERT_TRUE(registry->add(tools::native::make_native_tool<test::Quick>()));
  live_->replace(registry);
  const auto restored = ask(one_, "POST " + path("s", "/restore"));
  EXPECT_EQ(true, restored.body["tools_changed"]);
  EXPECT_NE(closed.body["toolset_digest"], restored.body["toolset_digest"]);
  EXPECT_EQ(1U, restored.body["tools"].size());
  EXPECT_EQ(false, ask(one_, "POST " + path("s", "/restore")).body["tools_changed"]);
}

TEST_F(Mailbox, OpeningAClosedSessionRestoresItAndOthersDoNot) {
  ASSERT_EQ(201, open(one_, "s").status);
  const auto id = run_quick(one_, "s");
  ASSERT_EQ(200, ask(one_, "POST " + path("s", "/close")).status);
  const auto other = ask(one_, "POST /v1/sessions", R"({"session_id":"s","namespaces":["time"]})");
  EXPECT_EQ("session_conflict", other.body["code"]);
  EXPECT_EQ("closed", ask(one_, "GET " + path("s", "")).body["state"]);
  const auto restored = open(two_, "s");
  EXPECT_EQ(200, restored.status);
  EXPECT_EQ("open", restored.body["state"]);
  EXPECT_EQ(std::vector<std::string>{id}, calls(restored.body));
}

TEST_F(Mailbox, WithoutPostgresASessionIsRestoredAndItsCompletionsComeLater) {
  ASSERT_EQ(201, open(one_, "s").status);
  ASSERT_EQ(200, ask(one_, "POST " + path("s", "/close")).status);
  postgres_->stop(SIGQUIT);
  const auto restored = ask(one_, "POST " + path("s", "/restore"));
  EXPECT_EQ(200, restored.status);
  EXPECT_EQ("open", restored.body["state"]);
  EXPECT_TRUE(restored.body["completions"].is_null());
  EXPECT_EQ(202, ask(one_, "POST " + path("s", "/calls"), R"({"tool":"quick"})").status);
}

}  // namespace
}  // namespace toolway
