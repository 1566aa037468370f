// Why a call waits and what became of it, from facts, within a second, whatever is away.
#include "base/json.h"
#include "proto/toolway/v1/control.pb.h"
#include "tests/integration/calls/fleet.h"

namespace toolway {
namespace {

class ExplainCalls : public test::Fleet {
 protected:
  struct Explained {
    int status = 0;
    Json json;
    std::chrono::steady_clock::duration took{};
    bool has(const std::string& code) const {
      for (const auto& reason : json["reasons"]) {
        if (reason["code"] == code) return true;
      }
      return false;
    }
  };
  Explained explain(const Face& face, const std::string& call, const std::string& user = {}) {
    const auto begun = std::chrono::steady_clock::now();
    const auto answer = ask(face, "GET", "/v1/calls/" + call + "/explain", {}, {}, user);
    Explained explained{answer.status, Json::parse(answer.body, nullptr, false), {}};
    explained.took = std::chrono::steady_clock::now() - begun;
    return explained;
  }
  /// Explains until it has this reason or state.
  Explained explain_until(const Face& face, const std::string& call, const std::string& wanted) {
    const auto deadline = std::chrono::steady_clock::now() + test::kPatience;
    for (;;) {
      auto explained = explain(face, call);
      if (explained.has(wanted) || explained.json["state"] == wanted ||
          std::chrono::steady_clock::now() > deadline) {
        return explained;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  /// As a worker announces itself; it serves the pool of the calls.
  void announce(const std::string& id, std::uint32_t slots, std::uint32_t held) {
    v1::WorkerAnnouncement said;
    said.set_worker_id(id);
    said.set_pool("native");
    said.set_slots(slots);
    said.set_held(held);
    said.set_host("host-1");
    said.set_started_at_us(to_unix_us(clock_.wall()));
    bus_->tell(proto::worker_subject("native", id), said.SerializeAsString());
  }
  static constexpr std::chrono::seconds kSecond{1};
};

TEST_F(ExplainCalls, NoWorkerServesThePoolAndThenItsSlotsAreFull) {
  start_collector();
  const std::string before = call(first_);
  const std::string id = call(second_);
  const auto alone = explain(first_, id);
  ASSERT_EQ(alone.status, 200);
  EXPECT_LT(alone.took, kSecond);
  EXPECT_EQ(alone.json["state"], "queued") << alone.json;
  EXPECT_TRUE(alone.has("no_worker")) << alone.json;
  EXPECT_TRUE(explain_until(first_, id, "queued_behind").has("queued_behind"));
  EXPECT_EQ(explain(first_, id).json["facts"]["position"], 1);
  EXPECT_EQ(explain(first_, id).json["facts"]["lane"], "normal");

  auto full = explain(second_, id);
  for (int i = 0; i < 500 && !full.has("slots_full"); ++i) {  // workers say it again and again
    announce("w1", 2, 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    full = explain(second_, id);
  }
  EXPECT_TRUE(full.has("slots_full")) << full.json;
  EXPECT_EQ(full.json["facts"]["workers"], 1);
  const auto workers = ask(second_, "GET", "/v1/workers?pool=native").json();
  ASSERT_EQ(workers["workers"].size(), 1U);
  EXPECT_EQ(workers["workers"][0]["worker_id"], "w1");
  EXPECT_EQ(workers["workers"][0]["held"], 2);
  EXPECT_EQ(ask(second_, "GET", "/v1/workers?pool=other").json()["workers"].size(), 0U);
}

TEST_F(ExplainCalls, OneThatRunsAndOneThatHasEnded) {
  start_collector();
  start_worker();
  const std::string id = call(first_);
  const auto running = explain_until(second_, id, "running");
  EXPECT_EQ(running.json["state"], "running") << running.json;
  ASSERT_EQ(running.json["attempts"].size(), 1U);
  EXPECT_TRUE(running.json["attempts"][0]["ended"].is_null());
  const std::string ended = call(first_, "throws");
  const auto done = explain_until(second_, ended, "completed");
  EXPECT_TRUE(done.has("completed")) << done.json;
  EXPECT_NE(done.json["summary"].get<std::string>().find("out of cheese"), std::string::npos)
      << done.json;
}

TEST_F(ExplainCalls, OnlyForItsUser) {
  start_collector();
  const std::string id = call(first_);
  ASSERT_EQ(ask(first_, "GET", "/v1/calls/" + id).status, 200);  // it is recorded
  EXPECT_EQ(explain(first_, id, "somebody-else").status, 404);
  EXPECT_EQ(explain(first_, "no-id").status, 400);
}

TEST_F(ExplainCalls, WithoutPostgresItSaysSoInTime) {
  start_collector();
  const std::string id = call(first_);
  ASSERT_EQ(ask(first_, "GET", "/v1/calls/" + id).status, 200);  // it is recorded
  collector_.reset();
  postgres_->stop(SIGKILL);
  const auto without =
      explain_until(first_, id, "store_away");  // its last backends end a little later
  EXPECT_EQ(without.status, 200);
  EXPECT_LT(without.took, kSecond);
  EXPECT_EQ(without.json["state"], "queued") << without.json;  // as the streams show it
  EXPECT_TRUE(without.has("store_away")) << without.json;
  const auto other = explain(first_, CallId::make(clock_.wall()).text());
  EXPECT_EQ(other.json["state"], "unknown") << other.json;
}

TEST_F(ExplainCalls, WithoutTheBusItSaysSoInTime) {
  start_collector();
  const std::string id = call(first_);
  ASSERT_EQ(ask(first_, "GET", "/v1/calls/" + id).status, 200);  // it is recorded
  nats_->stop(SIGKILL);
  const auto without = explain(first_, id);
  EXPECT_EQ(without.status, 200);
  EXPECT_LT(without.took, kSecond);
  EXPECT_TRUE(without.has("bus_away")) << without.json;
}

TEST_F(ExplainCalls, OneThatIsNotRecordedIsExplainedByAnyGateway) {
  start_worker(1);
  const std::string runs = call(first_);
  const std::string waits = call(first_);
  for (const Face* face : {&first_, &second_}) {
    const auto running = explain_until(*face, runs, "running");
    EXPECT_EQ(running.status, 200) << running.json;
    EXPECT_EQ(running.json["state"], "running") << running.json;
    EXPECT_TRUE(running.has("not_recorded")) << running.json;
    EXPECT_LT(running.took, kSecond);
    EXPECT_EQ(explain(*face, runs, "somebody-else").json["code"], "collector_behind");
  }
  // Found by the sessions that its user used here last.
  EXPECT_EQ(ask(second_, "GET", "/v1/sessions/s").status, 200);
  for (const Face* face : {&first_, &second_}) {
    const auto queued = explain(*face, waits);
    EXPECT_EQ(queued.json["state"], "queued") << queued.json;
    EXPECT_EQ(queued.json["facts"]["pool"], "native") << queued.json;
    EXPECT_EQ(queued.json["facts"]["postgres"], "ok");
  }
}

TEST_F(ExplainCalls, OneThatIsNotFoundIsUnknownOnlyOnceAllIsRecorded) {
  call(first_);
  // Its id tells when it was made, and collectors may have been away since before that.
  for (const auto age : {std::chrono::seconds(0), std::chrono::seconds(600)}) {
    const auto id = CallId::make(clock_.wall() - age).text();
    for (const std::string what : {"", "/explain"}) {
      const auto behind = ask(second_, "GET", "/v1/calls/" + id + what);
      EXPECT_EQ(behind.status, 503) << behind.body;
      EXPECT_EQ(text(behind, "code"), "collector_behind");
    }
    EXPECT_EQ(text(ask(second_, "POST", "/v1/calls/" + id + "/cancel"), "code"),
              "collector_behind");
  }
  start_collector();
  const auto id = CallId::make(clock_.wall() - std::chrono::seconds(600)).text();
  const auto gone = ask_until(second_, "/v1/calls/" + id + "/explain",
                              [](const auto& answer) { return answer.status == 404; });
  EXPECT_EQ(text(gone, "code"), "unknown_call") << gone.body;
}

}  // namespace
}  // namespace toolway
