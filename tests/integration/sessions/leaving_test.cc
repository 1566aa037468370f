// Closed sessions leave the bucket once they are recorded, and come back when a client asks for
// them.
#include <future>

#include "bus/answer.h"
#include "bus/key_value.h"
#include "bus/topology.h"
#include "persistence/reaper/closed_sessions.h"
#include "persistence/reaper/reaper.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "tests/integration/sessions/sessions_fixture.h"

namespace toolway {
namespace {

using std::chrono::milliseconds;

class LeavingSessions : public test::SessionsTest {
 protected:
  std::unique_ptr<persistence::reaper::Reaper> reap(milliseconds keep) {
    persistence::reaper::ReaperOptions options{.postgres_url = postgres_->url(), .rules = {}};
    options.every = milliseconds(50);
    options.closed_session_keep = keep;
    return persistence::reaper::start_reaper(*bus_, *metrics_, clock_, std::move(options));
  }
  static std::string key_of(const std::string& session) {
    return proto::session_bucket_key("default", "anonymous", session);
  }
  Result<bus::Entry> entry(const std::string& session) {
    bus::KeyValue bucket(*bus_, std::string(proto::kSessionsBucket));
    return bus::answer_of<bus::Entry>(
        [&](auto handler) { bucket.get(key_of(session), std::move(handler)); });
  }
  void put(const std::string& session, std::string value, std::uint64_t revision) {
    bus::KeyValue bucket(*bus_, std::string(proto::kSessionsBucket));
    auto done = bus::answer_of<std::uint64_t>([&](auto handler) {
      bucket.put(key_of(session), std::move(value), revision, std::move(handler));
    });
    ASSERT_TRUE(done) << done.error().message;
  }
  bool left(const std::string& session) {
    const auto there = entry(session);
    return there && there->value.empty();
  }
  void await_left(const std::string& session) {
    const auto deadline = std::chrono::steady_clock::now() + test::kPatience;
    while (!left(session) && std::chrono::steady_clock::now() < deadline) {
    }
    ASSERT_TRUE(left(session));
  }
  /// Opens, uses and closes it, and waits until it has left.
  void close_and_take_out(const std::string& session) {
    ASSERT_EQ(201, open(one_, session).status);
    call_ = run_quick(one_, session);
    ASSERT_EQ(200, ask(one_, "POST " + path(session, "/close")).status);
    const auto reaper = reap(milliseconds(1));
    await_left(session);
  }
  Json stream_config(const std::string& stream) {
    const auto info = bus::answer_of<std::string>([&](auto handler) {
      bus_->request("$JS.API.STREAM.INFO." + stream, "", std::move(handler));
    });
    return info ? Json::parse(*info)["config"] : Json();
  }
  void change_stream(const std::string& stream, const Json& members) {
    auto config = stream_config(stream);
    config.update(members);
    const auto changed = bus::answer_of<std::string>([&](auto handler) {
      bus_->request("$JS.API.STREAM.UPDATE." + stream, config.dump(), std::move(handler));
    });
    ASSERT_TRUE(changed);
    ASSERT_EQ(std::string::npos, changed->find("\"error\"")) << *changed;
  }
  /// As it is recorded, however often Postgres is asked.
  std::vector<persistence::reaper::ClosedSession> recorded_closed(std::size_t count) {
    persistence::reaper::ElectedConnection connection(postgres_->url());
    EXPECT_TRUE(connection.elected());
    std::vector<persistence::reaper::ClosedSession> closed;
    const auto deadline = std::chrono::steady_clock::now() + test::kPatience;
    while (closed.size() < count && std::chrono::steady_clock::now() < deadline) {
      auto found = persistence::reaper::closed_sessions(connection, milliseconds(0), 100);
      if (found) closed = std::move(*found);
    }
    return closed;
  }
  std::string call_;
};

TEST_F(LeavingSessions, OneThatHasLeftIsShownAndRestoredFromPostgres) {
  close_and_take_out("s");
  const auto shown = ask(two_, "GET " + path("s", ""));
  ASSERT_EQ(200, shown.status) << shown.body.dump();
  EXPECT_EQ("closed", shown.body["state"]);
  EXPECT_EQ("session_closed",
            ask(two_, "POST " + path("s", "/calls"), R"({"tool":"quick"})").body["code"]);
  const auto closed = ask(one_, "POST " + path("s", "/close"));
  ASSERT_EQ(1U, closed.body["completed_calls"].size()) << closed.body.dump();
  const auto mailbox = ask(two_, "GET " + path("s", "/completions"));
  ASSERT_EQ(1U, mailbox.body["completions"].size()) << mailbox.body.dump();
  // What is acknowledged while it is away stays so.
  const Json cursor{{"cursor", mailbox.body["next"]}};
  ASSERT_EQ(200, ask(two_, "POST " + path("s", "/completions:ack"), cursor.dump()).status);

  const auto restored = ask(one_, "POST " + path("s", "/restore"));
  ASSERT_EQ(200, restored.status) << restored.body.dump();
  EXPECT_EQ("open", restored.body["state"]);
  EXPECT_TRUE(restored.body["completions"].empty()) << restored.body.dump();
  EXPECT_EQ(shown.body["created_at"], restored.body["created_at"]);
  run_quick(two_, "s");
  EXPECT_EQ(2U, ask(one_, "GET " + path("s", "/calls")).body["calls"].size());
}

TEST_F(LeavingSessions, OpeningOneThatHasLeftRestoresItAndKeepsTheRules) {
  close_and_take_out("s");
  const auto other = ask(two_, "POST /v1/sessions", R"({"session_id":"s","namespaces":["other"]})");
  EXPECT_EQ(409, other.status);
  EXPECT_EQ("session_conflict", other.body["code"]);
  const auto opened = open(two_, "s");
  ASSERT_EQ(200, opened.status) << opened.body.dump();
  EXPECT_EQ("open", opened.body["state"]);
  const auto calls = ask(two_, "GET " + path("s", "/calls")).body["calls"];
  ASSERT_EQ(1U, calls.size());
  EXPECT_EQ(Json(call_), calls[0]["call_id"]);
  // It leaves again when it is closed again.
  ASSERT_EQ(200, ask(one_, "POST " + path("s", "/close")).status);
  const auto reaper = reap(milliseconds(1));
  await_left("s");
}

TEST_F(LeavingSessions, WithoutPostgresOneThatHasLeftIsNotUnknown) {
  close_and_take_out("s");
  postgres_->stop(SIGQUIT);
  for (const auto& what : {"POST " + path("s", "/restore"), "GET " + path("s", "")}) {
    const auto away = ask(two_, what);
    EXPECT_EQ(503, away.status) << what << away.body.dump();
    EXPECT_EQ("store_unavailable", away.body["code"]) << what;
  }
  const auto opened = open(two_, "s");
  EXPECT_EQ(503, opened.status) << opened.body.dump();
  // Another one needs no Postgres.
  EXPECT_EQ(201, open(two_, "fresh").status);
  EXPECT_EQ(202, ask(one_, "POST " + path("fresh", "/calls"), R"({"tool":"quick"})").status);
}

TEST_F(LeavingSessions, OneThatIsRestoredAtTheSameMomentStays) {
  for (const std::string session : {"stays", "leaves"}) {
    ASSERT_EQ(201, open(one_, session).status);
    ASSERT_EQ(200, ask(one_, "POST " + path(session, "/close")).status);
  }
  const auto closed = recorded_closed(2);  // as the reaper reads it ...
  ASSERT_EQ(2U, closed.size());
  ASSERT_EQ(200, ask(two_, "POST " + path("stays", "/restore")).status);
  const auto out = persistence::reaper::take_out(*bus_, closed);  // ... and acts on it, too late
  ASSERT_TRUE(out) << out.error().message;
  ASSERT_EQ(1U, out->size());
  EXPECT_TRUE(left("leaves"));
  EXPECT_FALSE(left("stays"));
  run_quick(one_, "stays");
  // And the other way: two gateways restore what has left at once, and it is one session.
  auto first = std::async(std::launch::async,
                          [&] { return ask(one_, "POST " + path("leaves", "/restore")).status; });
  EXPECT_EQ(200, ask(two_, "POST " + path("leaves", "/restore")).status);
  EXPECT_EQ(200, first.get());
  run_quick(two_, "leaves");
}

TEST_F(LeavingSessions, OneThatIsNotRecordedAsItIsNowStays) {
  ASSERT_EQ(201, open(one_, "s").status);
  ASSERT_EQ(200, ask(one_, "POST " + path("s", "/close")).status);
  auto closed = recorded_closed(1);
  ASSERT_EQ(1U, closed.size());
  auto record = *proto::decode_session(closed[0].record);
  record.set_read_number(7);
  closed[0].record = proto::encode(record);
  const auto out = persistence::reaper::take_out(*bus_, closed);
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_TRUE(out->empty());
  EXPECT_FALSE(left("s"));
}

/// What a gateway remembers may be older than what the bucket has.
TEST_F(LeavingSessions, AGatewayWhoseWatchLagsFindsOut) {
  ASSERT_EQ(201, open(one_, "s").status);
  run_quick(two_, "s");
  ASSERT_EQ(200, ask(one_, "POST " + path("s", "/close")).status);
  ASSERT_EQ(1U, recorded_closed(1).size());
  const auto there = entry("s");
  ASSERT_TRUE(there);
  put("s", "", there->revision);
  // two_ has it in its memory for some seconds yet, closed; what it writes is checked against the
  // bucket.
  const auto restored = ask(two_, "POST " + path("s", "/restore"));
  ASSERT_EQ(200, restored.status) << restored.body.dump();
  EXPECT_EQ("open", restored.body["state"]);
  run_quick(one_, "s");
}

TEST_F(LeavingSessions, AFullBucketRefusesNewSessionsAndNothingElse) {
  ASSERT_EQ(201, open(one_, "s").status);
  change_stream("KV_sessions", {{"max_bytes", 400'000}});
  const std::string large =
      R"(","namespaces":["sample"],"metadata":{"x":")" + std::string(10'000, 'x') + R"("}})";
  const auto open_large = [&](const Face& face, const std::string& name) {
    return ask(face, "POST /v1/sessions", R"({"session_id":")" + name + large);
  };
  std::vector<std::string> opened;
  for (int i = 0; i < 36; ++i) {
    opened.push_back("large-" + std::to_string(i));
    ASSERT_EQ(201, open_large(one_, opened.back()).status);
  }
  // Gateways ask every second how full it is, and leave a tenth for the sessions that are there.
  const auto deadline = std::chrono::steady_clock::now() + test::kPatience;
  const auto knows = [&](const Face& face) {
    const std::string name = "\ntoolway_stream_bytes{stream=\"KV_sessions\"} ";
    const auto text = face.metrics->scrape();
    const auto at = text.find(name);
    return at != std::string::npos && std::stod(text.substr(at + name.size())) > 360'000;
  };
  for (const Face* face : {&one_, &two_}) {
    while (!knows(*face) && std::chrono::steady_clock::now() < deadline) {
    }
    const auto refused = open_large(*face, "more");
    EXPECT_EQ(503, refused.status) << refused.body.dump();
    EXPECT_EQ("overloaded", refused.body["code"]);
    EXPECT_NE(std::string::npos, refused.head.find("retry-after: 10")) << refused.head;
  }
  run_quick(two_, "s");
  EXPECT_TRUE(*persistence::reaper::sessions_crowded(*bus_));
  // Closed ones leave a crowded bucket at once, and make room.
  const auto reaper = reap(std::chrono::hours(24));
  for (const auto& name : opened) EXPECT_EQ(200, ask(one_, "POST " + path(name, "/close")).status);
  auto next = open_large(two_, "next");
  while (next.status == 503 && std::chrono::steady_clock::now() < deadline)
    next = open_large(two_, "next");
  EXPECT_EQ(201, next.status) << next.body.dump();
  EXPECT_TRUE(left(opened.front()));
}

TEST_F(LeavingSessions, MigratingAnOlderDeploymentChangesHowLongEntriesStayAndWhatAFullBucketDoes) {
  change_stream("KV_sessions",
                {{"max_age", std::chrono::nanoseconds(std::chrono::hours(720)).count()}});
  change_stream("KV_clocks", {{"discard", "new"}});
  const auto migrated = bus_->provision({.pools = {{"native", 1}}});
  ASSERT_TRUE(migrated) << migrated.error().message;
  EXPECT_EQ(Json(std::chrono::nanoseconds(bus::kSessionsAge).count()),
            stream_config("KV_sessions")["max_age"]);
  EXPECT_EQ("new", stream_config("KV_sessions")["discard"]);
  EXPECT_EQ("old", stream_config("KV_clocks")["discard"]);
  // Who fills that one keeps no process from its time.
  change_stream("KV_clocks", {{"max_bytes", 10'000}});
  for (int i = 0; i < 300; ++i) {
    const auto stored = bus::answer_of<bus::PubAck>([&](auto handler) {
      bus_->publish({.subject = "$KV.clocks.k" + std::to_string(i), .payload = {}}, handler);
    });
    ASSERT_TRUE(stored) << i << ": " << stored.error().message;
  }
}

TEST_F(LeavingSessions, AUsersMetadataTakesNoMoreThanItsShare) {
  for (Face* face : {&one_, &two_}) {
    face->gateway.reset();
    auto started = gateway::server::start_gateway(
        *face->bus, *face->store, *live_, *face->metrics, clock_,
        {.port = 0, .session_caps = {.open = 0, .open_mib = 1, .per_second = 0, .per_day = 0}});
    ASSERT_TRUE(started);
    face->gateway = std::move(*started);
  }
  const std::string body =
      R"({"namespaces":["sample"],"metadata":{"x":")" + std::string(16'000, 'x') + R"("}})";
  int opened = 0;
  auto last = ask(one_, "POST /v1/sessions", body);
  for (; last.status == 201 && opened < 100; ++opened) last = ask(one_, "POST /v1/sessions", body);
  EXPECT_EQ(64, opened) << last.body.dump();
  EXPECT_EQ(429, last.status);
  EXPECT_EQ("too_many_sessions", last.body["code"]);
  EXPECT_NE(std::string::npos, last.body.dump().find("--user-sessions-mib")) << last.body.dump();
  const auto deadline = std::chrono::steady_clock::now() + test::kPatience;
  while (two_.metrics->scrape().find("\ntoolway_sessions_open 64\n") == std::string::npos) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << two_.metrics->scrape();
  }
  last = ask(two_, "POST /v1/sessions", body);
  EXPECT_EQ(429, last.status) << last.body.dump();
  last = ask(two_, "POST /v1/sessions", R"({"namespaces":["sample"]})");  // still fits
  EXPECT_EQ(201, last.status) << last.body.dump();
}

TEST_F(LeavingSessions, TheSessionsOfAUserAreLimitedOverAllGateways) {
  for (Face* face : {&one_, &two_}) {
    face->gateway.reset();
    auto started =
        gateway::server::start_gateway(*face->bus, *face->store, *live_, *face->metrics, clock_,
                                       {.port = 0,
                                        .session_caps = {.open = 4, .per_second = 0},
                                        .edge = {.trust_user_header = {"loopback"}}});
    ASSERT_TRUE(started);
    face->gateway = std::move(*started);
  }
  for (int i = 0; i < 4; ++i)
    ASSERT_EQ(201, open(i % 2 == 0 ? one_ : two_, "s" + std::to_string(i)).status);
  const auto deadline = std::chrono::steady_clock::now() + test::kPatience;
  for (const Face* face : {&one_, &two_}) {
    while (face->metrics->scrape().find("\ntoolway_sessions_open 4\n") == std::string::npos) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << face->metrics->scrape();
    }
    const auto reply = open(*face, "more");
    EXPECT_EQ(429, reply.status) << reply.body.dump();
    EXPECT_EQ("too_many_sessions", reply.body["code"]);
    EXPECT_NE(std::string::npos, reply.head.find("retry-after: ")) << reply.head;
    EXPECT_EQ(200, open(*face, "s0").status);  // it is there already
  }
  EXPECT_EQ(
      201, ask(one_, "POST /v1/sessions", R"({"namespaces":["sample"]})", "x-toolway-user: bob\r\n")
               .status);
  ASSERT_EQ(200, ask(one_, "POST " + path("s0", "/close")).status);
  auto reply = open(two_, "next");
  while (reply.status == 429 && std::chrono::steady_clock::now() < deadline)
    reply = open(two_, "next");
  EXPECT_EQ(201, reply.status) << reply.body.dump();
  const auto restored = ask(two_, "POST " + path("s0", "/restore"));
  EXPECT_EQ("too_many_sessions", restored.body["code"]) << restored.body.dump();
}

TEST_F(LeavingSessions, AUserOpensThemNoFasterThanTheRate) {
  one_.gateway.reset();
  auto started =
      gateway::server::start_gateway(*one_.bus, *one_.store, *live_, *one_.metrics, clock_,
                                     {.port = 0, .session_caps = {.open = 0, .per_second = 1}});
  ASSERT_TRUE(started);
  one_.gateway = std::move(*started);
  Json last = Json::object();
  int opened = 0;
  for (int i = 0; i < 40 && last.value("code", "") != "too_many_sessions"; ++i) {
    const auto reply = open(one_, "r" + std::to_string(i));
    last = reply.body;
    opened += reply.status == 201 ? 1 : 0;
  }
  EXPECT_EQ("too_many_sessions", last.value("code", "")) << last.dump();
  EXPECT_GE(opened, 10);
  clock_.move(std::chrono::seconds(20));
  EXPECT_EQ(201, open(one_, "later").status);
}

}  // namespace
}  // namespace toolway
