// A gateway that ends, and sessions that no client uses.
#include <algorithm>
#include <future>

#include "bus/key_value.h"
#include "proto/codec.h"
#include "proto/subjects.h"

#include "tests/integration/sessions/sessions_fixture.h"

namespace toolway {
namespace {

class DrainGateway : public test::SessionsTest {
 protected:
  static std::string follow(const std::string& resume = "") {
    return "GET /v1/sessions/s/events" + std::string(resume.empty() ? "?after=0" : "") +
           " HTTP/1.1\r\nhost: localhost\r\n" +
           (resume.empty() ? "" : "last-event-id: " + resume + "\r\n") + "\r\n";
  }
  /// The next event's id, and its type.
  static std::pair<std::string, std::string> next_event(test::RawClient& client) {
    if (client.read_until("id: ").find("id: ") == std::string::npos) return {};
    std::string id = client.read_until("\n");
    client.read_until("event: ");
    std::string type = client.read_until("\n");
    if (id.empty() || type.empty()) return {};
    id.pop_back();
    type.pop_back();
    return {id, type};
  }
};

TEST_F(DrainGateway, TellsFollowersToReconnectAndNothingIsMissedElsewhere) {
  ASSERT_EQ(201, open(one_, "s").status);
  run_gated(one_, "s");
  test::RawClient follower(one_.port());
  follower.send(follow());
  std::string last;
  std::vector<std::string> types;
  while (types.empty() || types.back() != "progress") {
    auto [id, type] = next_event(follower);
    ASSERT_FALSE(id.empty());
    last = id;
    types.push_back(type);
  }
  auto drained =
      std::async(std::launch::async, [&] { one_.gateway->drain(std::chrono::seconds(10)); });
  const auto end = follower.read_until("0\r\n\r\n");
  EXPECT_NE(std::string::npos,
            end.find("event: reconnect\nretry: 100\ndata: {\"reason\":\"draining\"}\n\n"))
      << end;
  drained.get();
  run_quick(two_, "s");
  gate_->open();
  test::RawClient elsewhere(two_.port());
  elsewhere.send(follow(last));
  std::size_t completed = 0;
  while (completed < 2) {
    auto [id, type] = next_event(elsewhere);
    ASSERT_FALSE(id.empty());
    if (type == "completed") ++completed;
    types.push_back(type);
  }
  std::sort(types.begin(), types.end());
  EXPECT_EQ((std::vector<std::string>{"completed", "completed", "progress", "started", "started"}),
            types);
}

TEST_F(DrainGateway, AnswersWhatIsInProgressAndRefusesTheRest) {
  ASSERT_EQ(201, open(one_, "s").status);
  test::RawClient kept(one_.port());
  kept.send(request("GET /livez"));
  ASSERT_EQ(200, parsed(kept.response()).status);
  ASSERT_EQ(201, open(one_, "t").status);
  run_gated(one_, "t");
  test::RawClient waits(one_.port());
  waits.send(request("POST " + path("s", "/calls"), R"({"tool":"gated"})", "prefer: wait=60\r\n"));
  test::RawClient closes(one_.port());
  closes.send(request("POST " + path("t", "/close")));
  while (ask(two_, "GET " + path("t", "")).body["state"] != "closed" ||
         one_.metrics->scrape().find("toolway_http_requests_in_flight 2") == std::string::npos) {
  }
  auto drained =
      std::async(std::launch::async, [&] { one_.gateway->drain(std::chrono::seconds(10)); });
  const auto accepted = parsed(waits.response());
  EXPECT_EQ(202, accepted.status) << accepted.body.dump();
  const auto closed = parsed(closes.response());
  EXPECT_EQ(200, closed.status);
  EXPECT_GE(closed.body["pending_calls"].size(), 1U) << closed.body.dump();
  EXPECT_EQ(false, closed.body["pending_calls"][0]["timed_out"]);
  EXPECT_EQ(false, closed.body["complete"]);
  // On its way while the gateway began to drain.
  kept.send(request("GET " + path("s", "")));
  const auto refused = parsed(kept.response());
  EXPECT_EQ(503, refused.status);
  EXPECT_EQ("shutting_down", refused.body["code"]);
  EXPECT_NE(std::string::npos, refused.head.find("connection: close"));
  drained.get();
}

class IdleSession : public test::SessionsTest {
 protected:
  WallTime active(const std::string& session) {
    std::int64_t us = 0;
    const auto entry = get(proto::session_bucket_key("default", "anonymous", session));
    if (entry) us = proto::decode_session(entry->value)->active_at_us();
    return from_unix_us(us);
  }
  Result<bus::Entry> get(const std::string& key) {
    bus::KeyValue bucket(*bus_, "sessions");
    test::Awaited<Result<bus::Entry>> got;
    bucket.get(key, got.callback());
    auto entry = got.next();
    return entry ? *entry : Result<bus::Entry>(fail(ErrorCode::kTimeout, "no answer"));
  }
};

TEST_F(IdleSession, UseAndFollowingAreWrittenDownAboutEachQuarter) {
  ASSERT_EQ(201, open(one_, "s").status);
  const auto opened = active("s");
  clock_.move(std::chrono::minutes(10));
  ask(one_, "GET " + path("s", "/tools"));
  ask(one_, "GET " + path("s", "/tools"));
  EXPECT_EQ(opened, active("s"));  // less than a quarter of the hour
  clock_.move(std::chrono::minutes(6));
  ask(one_, "GET " + path("s", "/tools"));
  auto used = active("s");
  while (used == opened) used = active("s");
  EXPECT_GE(used - opened, std::chrono::minutes(16));
  test::RawClient follower(two_.port());
  follower.send("GET /v1/sessions/s/events HTTP/1.1\r\nhost: localhost\r\n\r\n");
  follower.read_until("\r\n\r\n");
  clock_.move(std::chrono::minutes(20));
  auto followed = active("s");
  while (followed == used) followed = active("s");
  EXPECT_GE(followed - used, std::chrono::minutes(19));
}

TEST_F(IdleSession, ClosedOnesAreForgottenAndStillAnswered) {
  for (int i = 0; i < 50; ++i) open(one_, "s" + std::to_string(i));
  const auto open_now = [this] {
    const auto text = one_.metrics->scrape();
    const auto at = text.find("\ntoolway_sessions_open ");
    return std::stoi(text.substr(at + std::string("\ntoolway_sessions_open ").size()));
  };
  EXPECT_EQ(50, open_now());
  for (int i = 0; i < 50; ++i)
    ask(two_, "POST " + path("s" + std::to_string(i), "/close"), R"({"pending":"detach"})");
  while (open_now() != 0) {
  }
  clock_.move(std::chrono::minutes(1));
  EXPECT_EQ("closed", ask(one_, "GET " + path("s7", "")).body["state"]);
  EXPECT_EQ("session_closed",
            ask(one_, "POST " + path("s7", "/calls"), R"({"tool":"quick"})").body["code"]);
}

}  // namespace
}  // namespace toolway
