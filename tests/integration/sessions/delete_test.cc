// DELETE of a session, over real NATS and Postgres, with two gateways.
#include <future>
#include <thread>

#include "bus/answer.h"
#include "bus/key_value.h"
#include "persistence/postgres/pg_connection.h"
#include "persistence/reaper/reaper.h"
#include "persistence/schema/after_restore.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "tests/integration/sessions/sessions_fixture.h"

namespace toolway {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class DeleteSession : public test::SessionsTest {
 protected:
  test::Reply remove(const Face& face, const std::string& session, const std::string& query = "") {
    return ask(face, "DELETE " + path(session, query));
  }
  /// Until the other gateway has learnt of it, too.
  test::Reply until_unknown(const Face& face, const std::string& line) {
    const auto deadline = std::chrono::steady_clock::now() + seconds(1);
    auto reply = ask(face, line);
    while (reply.status != 404 && std::chrono::steady_clock::now() < deadline)
      reply = ask(face, line);
    return reply;
  }
  std::int64_t count(const std::string& sql) {
    auto connection = persistence::postgres::PgConnection::open(
        postgres_->url(), persistence::postgres::patience_of_a_command());
    if (!connection) return -1;
    const auto rows = connection->execute("SELECT count(*) AS n FROM " + sql);
    return rows ? rows->at(0).get<std::int64_t>("n") : -1;
  }
  bool becomes(const std::string& sql, std::int64_t wanted) {
    const auto deadline = std::chrono::steady_clock::now() + test::kPatience;
    while (count(sql) != wanted) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(milliseconds(5));
    }
    return true;
  }
  void run_sql(const std::string& sql) {
    auto connection = persistence::postgres::PgConnection::open(
        postgres_->url(), persistence::postgres::patience_of_a_command());
    ASSERT_TRUE(connection);
    const auto done = connection->execute(sql);
    ASSERT_TRUE(done) << done.error().message;
  }
  std::unique_ptr<persistence::reaper::Reaper> reap() {
    persistence::reaper::ReaperOptions options{.postgres_url = postgres_->url(), .rules = {}};
    options.every = milliseconds(50);
    options.closed_session_keep = milliseconds(1);
    return persistence::reaper::start_reaper(*bus_, *metrics_, clock_, std::move(options));
  }
  void expect_unknown(const Face& face, const std::string& session, const std::string& call) {
    EXPECT_EQ(404, until_unknown(face, "GET " + path(session, "")).status);
    for (const char* what : {"/calls", "/completions", "/tools", "/events"})
      EXPECT_EQ(404, ask(face, "GET " + path(session, what)).status) << what;
    EXPECT_EQ(404, ask(face, "POST " + path(session, "/calls"), R"({"tool":"quick"})").status);
    EXPECT_EQ(404, ask(face, "POST " + path(session, "/close")).status);
    EXPECT_EQ(404, ask(face, "POST " + path(session, "/restore")).status);
    EXPECT_EQ(404, remove(face, session).status);
    for (const char* what : {"", "/events", "/result", "/explain"})
      EXPECT_EQ("unknown_call", ask(face, "GET /v1/calls/" + call + what).body["code"]) << what;
    EXPECT_EQ("unknown_call", ask(face, "POST /v1/calls/" + call + "/cancel").body["code"]);
    EXPECT_EQ(Json::array(), ask(face, "GET /v1/calls").body["calls"]);
    EXPECT_EQ(Json::array(), ask(face, "GET /v1/sessions").body["sessions"]);
  }
};

TEST_F(DeleteSession, DoesNotExistForAnyGateway) {
  ASSERT_EQ(201, open(one_, "s").status);
  const auto call = run_quick(two_, "s");
  const auto deleted = remove(one_, "s");
  ASSERT_EQ(200, deleted.status) << deleted.body.dump();
  EXPECT_EQ(
      (Json{{"session_id", "s"}, {"state", "deleted"}, {"deleted_calls", 1}, {"still_running", 0}}),
      deleted.body);
  expect_unknown(one_, "s", call);
  expect_unknown(two_, "s", call);
}

TEST_F(DeleteSession, AClosedOneGoesAsWell) {
  ASSERT_EQ(201, open(one_, "s").status);
  const auto call = run_quick(one_, "s");
  ASSERT_EQ(200, ask(one_, "POST " + path("s", "/close")).status);
  ASSERT_EQ(200, remove(two_, "s").status);
  expect_unknown(one_, "s", call);
}

TEST_F(DeleteSession, OneThatIsNotThereOrOfAnotherUserIsUnknown) {
  ASSERT_EQ(201, open(one_, "s").status);
  EXPECT_EQ("unknown_session", remove(one_, "other").body["code"]);
  EXPECT_EQ("unknown_session",
            ask(one_, "DELETE " + path("s", ""), "", "x-toolway-user: eve\r\n").body["code"]);
  EXPECT_EQ(422, remove(one_, "s", "?pending=wait").status);
  EXPECT_EQ(422, remove(one_, "s", "?timeout_ms=0").status);
  EXPECT_EQ(200, ask(one_, "GET " + path("s", "")).status);
}

TEST_F(DeleteSession, CallsInProgressKeepIt) {
  ASSERT_EQ(201, open(one_, "s").status);
  const auto call = run_gated(one_, "s");
  const auto refused = remove(two_, "s");
  EXPECT_EQ(409, refused.status);
  EXPECT_EQ("call_not_completed", refused.body["code"]);
  EXPECT_EQ("open", ask(one_, "GET " + path("s", "")).body["state"]);
  gate_->open();
}

TEST_F(DeleteSession, CallsThatWaitForApprovalKeepItAndAreCancelledFirst) {
  ASSERT_EQ(201, open(one_, "s").status);
  const auto held = ask(one_, "POST " + path("s", "/calls"), R"({"tool":"guarded"})");
  ASSERT_EQ("awaiting_approval", held.body["status"]) << held.body.dump();
  const auto call = held.body.value("call_id", "");
  ASSERT_TRUE(becomes("calls WHERE held", 1));
  const auto refused = remove(two_, "s");
  ASSERT_EQ(409, refused.status);
  EXPECT_EQ("call_not_completed", refused.body["code"]);
  const auto deleted = remove(two_, "s", "?pending=cancel&timeout_ms=20000");
  ASSERT_EQ(200, deleted.status) << deleted.body.dump();
  EXPECT_EQ(1, deleted.body["deleted_calls"]);
  EXPECT_EQ(0, deleted.body["still_running"]);
  expect_unknown(one_, "s", call);
  EXPECT_EQ(1, count("completions WHERE outcome = 'cancelled'"));
  const std::string bea = "x-toolway-user: bea\r\n";
  EXPECT_EQ(Json::array(), ask(one_, "GET /v1/approvals", "", bea).body["approvals"]);
  EXPECT_EQ("unknown_call", ask(one_, "POST /v1/calls/" + call + "/approve", "", bea).body["code"]);
}

TEST_F(DeleteSession, CancelsWhatRunsFirst) {
  ASSERT_EQ(201, open(one_, "s").status);
  const auto call = run_gated(one_, "s");
  const auto deleted = remove(two_, "s", "?pending=cancel&timeout_ms=20000");
  ASSERT_EQ(200, deleted.status) << deleted.body.dump();
  EXPECT_EQ(1, deleted.body["deleted_calls"]);
  EXPECT_EQ(0, deleted.body["still_running"]);
  expect_unknown(one_, "s", call);
}

TEST_F(DeleteSession, WhatEndsLaterBringsNothingBack) {
  ASSERT_EQ(201, open(one_, "s").status);
  const auto call = run_gated(one_, "s");
  // As if the call ran on a machine that no cancellation reaches: its end is recorded afterwards.
  auto entry = bus::answer_of<bus::Entry>([&](auto handler) {
    bus::KeyValue(*bus_, std::string(proto::kSessionsBucket))
        .get(proto::session_bucket_key("default", "anonymous", "s"), std::move(handler));
  });
  ASSERT_TRUE(entry);
  auto record = *proto::decode_session(entry->value);
  record.set_state(v1::SessionRecord::STATE_DELETED);
  record.set_closed_at_us(to_unix_us(clock_.wall()));
  bus::KeyValue bucket(*bus_, std::string(proto::kSessionsBucket));
  auto put = bus::answer_of<std::uint64_t>([&](auto handler) {
    bucket.put(entry->key, proto::encode(record), entry->revision, std::move(handler));
  });
  ASSERT_TRUE(put);
  ASSERT_TRUE(becomes("sessions WHERE state = 'deleted'", 1));
  expect_unknown(one_, "s", call);
  // As if it had been held.
  run_sql(
      "INSERT INTO approvals SELECT call_id, tenant_id, user_id, namespace, tool, submitted_at, 2, "
      "'approved', now(), 'bea' FROM calls");
  const auto reaper = reap();
  ASSERT_TRUE(becomes("calls", 0));
  EXPECT_EQ(0, count("approvals"));
  gate_->open();
  ASSERT_TRUE(becomes("completions", 1));
  expect_unknown(one_, "s", call);
  expect_unknown(two_, "s", call);
  // A day later what came late is purged as well, and the row goes.
  run_sql(
      "UPDATE sessions SET closed_at = closed_at - interval '26 hours', purge_at = now() "
      "- interval '1 hour'");
  EXPECT_TRUE(becomes("sessions", 0));
  EXPECT_EQ(0, count("completions"));
  EXPECT_EQ(0, count("call_events"));
  EXPECT_EQ(404, ask(one_, "GET " + path("s", "")).status);
}

TEST_F(DeleteSession, ItsNameIsFree) {
  ASSERT_EQ(201, open(one_, "s").status);
  const auto old = run_quick(one_, "s");
  ASSERT_EQ(200, remove(one_, "s").status);
  const auto opened =
      ask(two_, "POST /v1/sessions", R"({"session_id":"s","namespaces":["sample","other"]})");
  ASSERT_EQ(201, opened.status) << opened.body.dump();
  EXPECT_EQ(200, ask(one_, "GET " + path("s", "")).status) << "at once, on every gateway";
  EXPECT_EQ("unknown_call", ask(one_, "GET /v1/calls/" + old).body["code"]);
  const auto call = run_quick(two_, "s");
  const auto reaper = reap();
  ASSERT_TRUE(becomes("calls WHERE call_id = '" + call + "'", 1));
  ASSERT_TRUE(becomes("calls WHERE call_id = '" + old + "'", 0));
  EXPECT_EQ(200, ask(one_, "GET /v1/calls/" + call).status);
  EXPECT_EQ(1, ask(one_, "GET " + path("s", "")).body["counts"]["completed"]);
  EXPECT_EQ(1U, ask(one_, "GET " + path("s", "/completions")).body["completions"].size());
}

TEST_F(DeleteSession, AnIdempotencyKeyOfTheDeletedOneIsFreeInTheNext) {
  const std::string key = "idempotency-key: k\r\nprefer: wait=20\r\n";
  const std::string calls = "POST " + path("s", "/calls");
  ASSERT_EQ(201, open(one_, "s").status);
  const auto old = ask(one_, calls, R"({"tool":"quick"})", key);
  ASSERT_EQ(200, old.status) << old.body.dump();
  ASSERT_EQ(200, remove(one_, "s").status);
  ASSERT_EQ(201, open(one_, "s").status);
  const auto fresh = ask(one_, calls, R"({"tool":"quick"})", key);
  ASSERT_EQ(200, fresh.status) << fresh.body.dump();
  EXPECT_NE(old.body["call_id"], fresh.body["call_id"]);
  EXPECT_EQ(fresh.body["call_id"], ask(two_, calls, R"({"tool":"quick"})", key).body["call_id"]);
}

TEST_F(DeleteSession, FollowersOnEveryGatewayAreLetGo) {
  ASSERT_EQ(201, open(one_, "s").status);
  ASSERT_EQ(201, open(one_, "t").status);
  test::RawClient followers[]{test::RawClient(one_.port()), test::RawClient(two_.port())};
  for (auto& follower : followers) {
    follower.send("GET " + path("s", "/events?after=0") + " HTTP/1.1\r\nhost: localhost\r\n\r\n");
    follower.read_until("\r\n\r\n");
  }
  run_quick(one_, "s");
  for (auto& follower : followers) follower.read_until("event: completed");
  ASSERT_EQ(200, remove(one_, "s").status);
  for (auto& follower : followers)
    EXPECT_NE(std::string::npos, follower.read_until("\r\n0\r\n\r\n").find(": end"));
}

TEST_F(DeleteSession, OfTwoGatewaysAtOnceNeitherFailsAndOneSessionIsDeleted) {
  for (int i = 0; i < 20; ++i) {
    const std::string name = "s" + std::to_string(i);
    ASSERT_EQ(201, open(one_, name).status);
    auto other = std::async(std::launch::async, [&] { return remove(two_, name).status; });
    const int mine = remove(one_, name).status;
    const int theirs = other.get();
    EXPECT_TRUE(mine == 200 || theirs == 200) << mine << ' ' << theirs;
    for (const int status : {mine, theirs}) EXPECT_TRUE(status == 200 || status == 404) << status;
    EXPECT_EQ(404, until_unknown(two_, "GET " + path(name, "")).status);
  }
}

TEST_F(DeleteSession, ReopeningAtTheSameTimeGivesTheOldOrANewSession) {
  for (int i = 0; i < 20; ++i) {
    const std::string name = "s" + std::to_string(i);
    ASSERT_EQ(201, open(one_, name).status);
    const auto old = run_quick(one_, name);
    auto other = std::async(std::launch::async, [&] { return open(two_, name).status; });
    const int deleted = remove(one_, name).status;
    const int opened = other.get();
    EXPECT_EQ(200, deleted);
    ASSERT_TRUE(opened == 200 || opened == 201) << opened;
    EXPECT_EQ("unknown_call", ask(two_, "GET /v1/calls/" + old).body["code"]);
    const auto now = until_unknown(one_, "GET " + path(name, ""));
    // Opened before it was deleted, or after.
    EXPECT_EQ(opened == 200 ? 404 : 200, now.status) << now.body.dump();
  }
}

TEST_F(DeleteSession, WithoutCollectorsNothingIsDeletedBeforeItIsKnownWhatRuns) {
  ASSERT_EQ(201, open(one_, "s").status);
  collector_.reset();
  const auto call = ask(one_, "POST " + path("s", "/calls"), R"({"tool":"quick"})");
  ASSERT_EQ(202, call.status);
  EXPECT_EQ("collector_behind", remove(one_, "s").body["code"]);
  EXPECT_EQ(200, ask(one_, "GET " + path("s", "")).status);
}

TEST_F(DeleteSession, UntilItsDeletionIsRecordedItsNameIsNotGivenAgain) {
  ASSERT_EQ(201, open(one_, "s").status);
  ASSERT_TRUE(becomes("sessions", 1));
  collector_.reset();
  // On a busy machine Postgres may not answer in time.
  const auto answered = [](const auto& ask) {
    auto reply = ask();
    while (reply.body["code"] == "store_unavailable") reply = ask();
    return reply;
  };
  const auto deleted = answered([&] { return remove(one_, "s"); });
  EXPECT_EQ(503, deleted.status);
  EXPECT_EQ("collector_behind", deleted.body["code"]);
  EXPECT_EQ(404, ask(one_, "GET " + path("s", "")).status);
  EXPECT_EQ("collector_behind", answered([&] { return open(two_, "s"); }).body["code"]);
  EXPECT_EQ("collector_behind", answered([&] { return remove(two_, "s"); }).body["code"]);
  collector_ =
      persistence::collector::start_collector(*bus_, *metrics_, {.postgres_url = postgres_->url()});
  EXPECT_EQ(404, remove(two_, "s").status);
  EXPECT_EQ(201, open(two_, "s").status);
  EXPECT_EQ(1, count("sessions WHERE state = 'deleted'"));
}

TEST_F(DeleteSession, NeitherTheReaperNorARestoreBringsItBack) {
  ASSERT_EQ(201, open(one_, "s").status);
  ASSERT_EQ(200, remove(one_, "s").status);
  {
    const auto reaper = reap();
    ASSERT_TRUE(becomes("sessions WHERE NOT in_bucket AND purge_at IS NOT NULL", 1));
  }
  EXPECT_EQ(404, ask(two_, "GET " + path("s", "")).status);
  run_sql("UPDATE sessions SET in_bucket = true");
  const auto restored = persistence::schema::after_restore(*bus_, postgres_->url());
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(0U, restored->sessions);
  EXPECT_EQ(404, ask(two_, "GET " + path("s", "")).status);
}

}  // namespace
}  // namespace toolway
