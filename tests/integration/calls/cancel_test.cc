// Calls cancelled over any gateway, on real NATS and Postgres.
#include <csignal>

#include "base/json.h"
#include "proto/toolway/v1/control.pb.h"
#include "tests/integration/calls/fleet.h"

namespace toolway {
namespace {

using test::Awaited;

class CancelCalls : public test::Fleet {
 protected:
  cli::client::HttpAnswer cancel(const Face& face, const std::string& call,
                                 const std::string& body = {}, const std::string& user = {}) {
    return ask(face, "POST", "/v1/calls/" + call + "/cancel", body, {}, user);
  }
  /// As a worker that runs the call writes it.
  void write_started(const std::string& id, const std::string& worker_id) {
    test::Awaited<Result<bus::StoredMessage>> got;
    bus_->next_message(proto::kCallsStream, "call.>", 1, bus::ReadFrom::kLeader, got.callback());
    auto message = got.next();
    ASSERT_TRUE(message && *message);
    const auto request = proto::decode_call((*message)->payload);
    ASSERT_TRUE(request);
    ASSERT_EQ(request->call_id(), id);
    v1::CallEvent event;
    event.set_call_id(id);
    event.set_tenant_id(request->tenant_id());
    event.set_user_id(request->user_id());
    event.set_session_id(request->session_id());
    event.set_session_key(request->session_key());
    *event.mutable_labels() = request->labels();
    event.set_attempt(1);
    event.set_seq(1);
    event.set_worker_id(worker_id);
    event.set_time_us(to_unix_us(clock_.wall()));
    event.mutable_started()->set_started_at_us(event.time_us());
    test::Awaited<Result<bus::PubAck>> ack;
    bus_->publish({.subject = proto::event_subject(*SessionKey::parse(request->session_key()),
                                                   *CallId::parse(id)),
                   .payload = proto::encode(event),
                   .expected_last = 0},
                  ack.callback());
    const auto stored = ack.next();
    ASSERT_TRUE(stored && *stored);
  }
};

TEST_F(CancelCalls, OneThatWaitsEndsAtOnceOverAnyGatewayAndNeverStarts) {
  start_collector();
  const std::string id = call(first_);
  const auto begun = std::chrono::steady_clock::now();
  const auto answer = cancel(second_, id, R"({"reason":"changed my mind"})");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(1));
  ASSERT_EQ(answer.status, 202) << answer.body;
  EXPECT_EQ(text(answer, "call_id"), id);
  EXPECT_EQ(text(answer, "state"), "cancelled");
  EXPECT_EQ(text(answer, "worker"), "none");

  const auto again = cancel(first_, id);
  EXPECT_EQ(again.status, 202);
  EXPECT_EQ(text(again, "state"), "cancelled");

  start_worker();  // which finds the call, and its end
  const auto shown = ask(first_, "GET", "/v1/calls/" + id);
  EXPECT_EQ(text(shown, "outcome"), "cancelled") << shown.body;
  EXPECT_NE(shown.body.find("changed my mind"), std::string::npos) << shown.body;
  const std::string next = call(first_, "throws");
  ask_until(first_, "/v1/calls/" + next,
            [](const auto& seen) { return text(seen, "state") == "completed"; });
  std::vector<std::string> kinds;
  for (const auto& event : events_on_bus()) {
    if (event.call_id() == id) kinds.emplace_back(proto::event_kind_name(event));
  }
  EXPECT_EQ(kinds, (std::vector<std::string>{"cancel_requested", "completed"}));
}

TEST_F(CancelCalls, AWorkerThatRunsItIsTold) {
  start_collector();
  const std::string id = call(first_);
  write_started(id, "worker-1");
  std::mutex mutex;
  std::vector<std::string> asked;
  auto serving = bus_->serve("ctl.worker-1", "", [&](bus::Request request) {
    v1::ControlRequest control;
    ASSERT_TRUE(control.ParseFromString(request.payload));
    const std::scoped_lock lock(mutex);
    asked.push_back(control.call_id());
    v1::ControlAnswer answer;
    answer.set_held(true);
    request.answer(answer.SerializeAsString());
  });
  ASSERT_TRUE(serving);
  for (const Face* face : {&first_, &second_}) {
    const auto answer = cancel(*face, id);
    ASSERT_EQ(answer.status, 202) << answer.body;
    EXPECT_EQ(text(answer, "state"), "cancelling");
    EXPECT_EQ(text(answer, "worker"), "told");
  }
  EXPECT_EQ(asked, (std::vector<std::string>{id, id}));
  const auto events = events_on_bus();
  ASSERT_EQ(events.size(), 2U);  // Started, and one CancelRequested for both
  EXPECT_EQ(events[1].seq(), 2U);
  EXPECT_EQ(events[1].attempt(), 1U);
  EXPECT_EQ(events[1].worker_id(), "worker-1");
}

TEST_F(CancelCalls, OneThatRunsIsEndedByItsWorker) {
  start_collector();
  start_worker();
  const std::string id = call(first_);
  ask_until(first_, "/v1/calls/" + id,
            [](const auto& seen) { return text(seen, "state") == "running"; });
  const auto answer = cancel(second_, id);
  ASSERT_EQ(answer.status, 202) << answer.body;
  EXPECT_EQ(text(answer, "worker"), "told") << answer.body;
  const auto ended = ask_until(second_, "/v1/calls/" + id,
                               [](const auto& seen) { return text(seen, "state") == "completed"; });
  EXPECT_EQ(text(ended, "outcome"), "cancelled") << ended.body;
}

TEST_F(CancelCalls, AWorkerThatIsGoneIsSaidSoWithinASecond) {
  start_collector();
  const std::string id = call(first_);
  write_started(id, "worker-gone");
  const auto begun = std::chrono::steady_clock::now();
  const auto answer = cancel(second_, id);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(1500));
  EXPECT_EQ(answer.status, 202) << answer.body;
  EXPECT_EQ(text(answer, "state"), "cancelling");
  EXPECT_EQ(text(answer, "worker"), "not_reached");
}

TEST_F(CancelCalls, OnlyForItsUserAndOnlyWhatExists) {
  start_collector();
  const std::string id = call(first_);
  EXPECT_EQ(cancel(first_, id, {}, "somebody-else").status, 404);
  EXPECT_EQ(cancel(first_, CallId::make(clock_.wall() - std::chrono::hours(1)).text()).status, 404);
  EXPECT_EQ(cancel(first_, "no-id").status, 400);
  EXPECT_EQ(cancel(first_, id, R"({"raison":"x"})").status, 422);
  EXPECT_TRUE(events_on_bus().empty());
  postgres_->stop(SIGKILL);
  const auto other = CallId::make(clock_.wall()).text();
  auto without = cancel(first_, other);
  const auto until = std::chrono::steady_clock::now() + test::kPatience;
  // Its last backends end a little later.
  while (without.status == 404 && std::chrono::steady_clock::now() < until)
    without = cancel(first_, other);
  EXPECT_EQ(without.status, 503);
  EXPECT_EQ(text(without, "code"), "store_unavailable");
}

TEST_F(CancelCalls, OneThatHasEndedKeepsItsOutcome) {
  start_collector();
  start_worker();
  const std::string id = call(first_, "throws");
  ask_until(first_, "/v1/calls/" + id,
            [](const auto& seen) { return text(seen, "state") == "completed"; });
  const auto answer = cancel(second_, id);
  EXPECT_EQ(answer.status, 202);
  EXPECT_EQ(text(answer, "state"), "completed");
  EXPECT_EQ(text(answer, "outcome"), "failed");
}

TEST_F(CancelCalls, NeitherCollectorsNorPostgresAreNeeded) {
  start_worker(2);
  const std::string runs = call(first_);
  const std::string other = call(second_);
  const auto started = [&] {
    std::size_t count = 0;
    for (const auto& event : events_on_bus()) count += event.has_started() ? 1 : 0;
    return count;
  };
  while (started() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const std::string waits = call(first_);
  for (const bool without_postgres : {false, true}) {
    if (without_postgres) postgres_->stop(SIGKILL);
    // The running one through the gateway that did not accept it, the waiting one through either.
    const auto& id = without_postgres ? other : runs;
    const auto begun = std::chrono::steady_clock::now();
    const auto stopped = cancel(without_postgres ? first_ : second_, id);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(1500));
    ASSERT_EQ(stopped.status, 202) << stopped.body;
    EXPECT_EQ(text(stopped, "worker"), "told") << stopped.body;
    const auto late = cancel(without_postgres ? second_ : first_, waits);
    ASSERT_EQ(late.status, 202) << late.body;
  }
  const auto begun = std::chrono::steady_clock::now();
  std::size_t cancelled = 0;
  while (cancelled < 3 && std::chrono::steady_clock::now() - begun < test::kPatience) {
    cancelled = 0;
    for (const auto& event : events_on_bus())
      cancelled += event.completed().outcome() == v1::OUTCOME_CANCELLED ? 1 : 0;
  }
  EXPECT_EQ(cancelled, 3U);
}

TEST_F(CancelCalls, NoOtherUserCancelsWhatOnlyTheStreamsShow) {
  const std::string id = call(first_);
  for (const Face* face : {&first_, &second_}) {
    EXPECT_EQ(text(cancel(*face, id, {}, "somebody-else"), "code"), "collector_behind");
  }
  EXPECT_TRUE(events_on_bus().empty());
}

/// The last word about a call that the streams show is the events': when they may have left, and
/// are not recorded, nothing is written.
TEST_F(CancelCalls, OneWhoseEventsMayHaveLeftIsLeftAlone) {
  const std::string id = call(first_);
  write_started(id, "worker-1");
  // As a busy fleet's events push the oldest ones out.
  Awaited<Result<std::string>> updated;
  bus_->request("$JS.API.STREAM.INFO.EVENTS", "", updated.callback());
  const auto info = updated.next();
  ASSERT_TRUE(info && *info);
  auto config = Json::parse(**info)["config"];
  config["max_msgs"] = 1;
  Awaited<Result<std::string>> narrowed;
  bus_->request("$JS.API.STREAM.UPDATE.EVENTS", config.dump(), narrowed.callback());
  const auto done = narrowed.next();
  ASSERT_TRUE(done && *done);
  ASSERT_EQ((**done).find("\"error\""), std::string::npos) << **done;
  Awaited<Result<bus::PubAck>> ack;
  bus_->publish({.subject = "event.000.00000000000000000000000000000000." +
                            CallId::make(clock_.wall()).text(),
                 .payload = "x"},
                ack.callback());
  ASSERT_TRUE(ack.next());
  const auto answer = cancel(first_, id);
  EXPECT_EQ(answer.status, 503) << answer.body;
  for (const auto& event : events_on_bus()) EXPECT_NE(event.call_id(), id);
}

}  // namespace
}  // namespace toolway
