// The worker on a real nats-server: what the in-memory bus cannot show.
#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <set>
#include <vector>

#include "bus/jetstream_bus.h"
#include "bus/loop_thread.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "tests/support/awaiting.h"
#include "tests/support/nats.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/workers/worker_bench.h"
#include "tools/builtin/builtin.h"
#include "workers/pool/start_worker.h"
#include "workers/threads/loop_leader.h"
#include "workers/worker.h"

namespace toolway::workers {
namespace {

using toolway::test::Awaited;

class WorkerOnNats : public ::testing::Test {
 protected:
  WorkerOnNats() {
    server_ = toolway::test::start_nats(directory_.path().string());
    client_ = connect();
    EXPECT_TRUE(client_->provision({.pools = {{.name = "native"}}}));
    registry_ = *tools::builtin::builtin_registry({.root = directory_.path()});
  }

  std::unique_ptr<bus::Bus> connect() { return toolway::test::connect_to(*server_); }

  /// Publishes a call of bench.echo until it is acknowledged; returns its id.
  std::string submit() {
    auto request = call("bench", "echo");
    request.set_arguments(R"({"payload":"x"})");
    return submit(request, proto::Lane::kNormal);
  }
  v1::CallRequest call(const std::string& ns, const std::string& tool) {
    v1::CallRequest request;
    request.set_call_id(CallId::make(clock_.wall()).text());
    request.set_session_key(session_.text());
    request.mutable_labels()->set_tool(tool);
    request.mutable_labels()->set_namespace_(ns);
    request.set_pool("native");
    request.set_arguments("{}");
    request.set_submitted_at_us(to_unix_us(clock_.wall()));
    return request;
  }
  std::string submit(const v1::CallRequest& request, proto::Lane lane) {
    const CallId id = *CallId::parse(request.call_id());
    for (;;) {
      Awaited<Result<bus::PubAck>> ack;
      client_->publish({.subject = proto::call_subject("native", lane, 0, session_),
                        .payload = proto::encode(request),
                        .message_id = proto::call_message_id(id, 0)},
                       ack.callback());
      const auto answer = ack.next();
      if (answer && *answer) return id.text();
    }
  }

  /// Reads EVENTS from its first message until `calls` of them are completed.
  std::map<std::string, int> completions(std::size_t calls) {
    std::map<std::string, int> seen;
    std::uint64_t next = 1;
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (seen.size() < calls && std::chrono::steady_clock::now() < give_up) {
      Awaited<Result<bus::StoredMessage>> message;
      client_->next_message(proto::kEventsStream, "event.>", next, bus::ReadFrom::kLeader,
                            message.callback());
      const auto found = message.next();
      if (!found || !*found) continue;
      next = (*found)->sequence + 1;
      const auto event = proto::decode_event((*found)->payload);
      if (event && event->has_completed()) ++seen[event->call_id()];
    }
    return seen;
  }

  /// The events of a call, as they come, until its completion.
  std::vector<v1::CallEvent> events_of(const std::string& call_id, Awaited<v1::CallEvent>& live) {
    std::vector<v1::CallEvent> events;
    while (events.empty() || !events.back().has_completed()) {
      auto next = live.next();
      if (!next) break;
      if (next->call_id() == call_id) events.push_back(std::move(*next));
    }
    return events;
  }
  std::unique_ptr<bus::Subscription> follow(Awaited<v1::CallEvent>& live) {
    auto heard = [callback = live.callback()](const bus::LiveMessage& message) {
      callback(*proto::decode_event(message.payload));
    };
    return std::move(*client_->follow("live.>", std::move(heard)));
  }

  /// As a gateway does it: into the log, then to the worker. Returns whether that holds the call.
  bool cancel(const v1::CallRequest& request, const std::string& worker_id) {
    const auto subject = proto::event_subject(session_, *CallId::parse(request.call_id()));
    for (;;) {
      Awaited<Result<bus::StoredMessage>> last;
      client_->last_message(proto::kEventsStream, subject, bus::ReadFrom::kLeader, last.callback());
      const auto found = last.next();
      if (!found || !*found) return false;
      v1::CallEvent asked = *proto::decode_event((*found)->payload);
      asked.set_seq(asked.seq() + 1);
      asked.mutable_cancel_requested();
      Awaited<Result<bus::PubAck>> ack;
      client_->publish({.subject = subject,
                        .payload = proto::encode(asked),
                        .expected_last = (*found)->sequence},
                       ack.callback());
      const auto stored = ack.next();
      if (stored && *stored) break;  // else the worker was first
    }
    v1::ControlRequest control;
    control.set_call_id(request.call_id());
    Awaited<Result<std::string>> answer;
    client_->request(proto::control_subject(worker_id), control.SerializeAsString(),
                     answer.callback());
    const auto said = answer.next();
    v1::ControlAnswer word;
    return said && *said && word.ParseFromString(**said) && word.held();
  }

  toolway::test::TempDir directory_;
  const SystemClock clock_;
  const SessionKey session_ = SessionKey::make();
  std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("worker");
  std::unique_ptr<local::NatsServer> server_;
  std::unique_ptr<bus::Bus> client_;
  std::shared_ptr<const tools::model::Registry> registry_;
};

TEST_F(WorkerOnNats, CompletesEveryCallOnceWhileNatsIsKilledAndRestarted) {
  constexpr std::size_t kCalls = 600;
  const auto first_bus = connect();
  const auto second_bus = connect();
  auto first = pool::start_worker(*first_bus, *metrics_, registry_, clock_, {.slots = 16});
  auto second = pool::start_worker(*second_bus, *metrics_, registry_, clock_, {.slots = 16});
  ASSERT_TRUE(first && second);
  for (std::size_t i = 0; i < kCalls; ++i) {
    submit();
    if (i == kCalls / 3 || i == 2 * kCalls / 3) {
      server_->stop(SIGKILL);
      const auto again = server_->restart();
      ASSERT_TRUE(again) << again.error().message;
    }
  }
  const auto seen = completions(kCalls);
  EXPECT_EQ(seen.size(), kCalls);
  for (const auto& [call, count] : seen) EXPECT_EQ(count, 1) << call;
}

TEST_F(WorkerOnNats, ADrainedWorkerLeavesTheRestToOthers) {
  constexpr std::size_t kCalls = 300;
  const auto first_bus = connect();
  const auto second_bus = connect();
  auto first = pool::start_worker(*first_bus, *metrics_, registry_, clock_, {.slots = 8});
  ASSERT_TRUE(first);
  for (std::size_t i = 0; i < kCalls; ++i) {
    submit();
    if (i == kCalls / 2) (*first)->drain();
  }
  auto second = pool::start_worker(*second_bus, *metrics_, registry_, clock_, {.slots = 8});
  ASSERT_TRUE(second);
  const auto seen = completions(kCalls);
  EXPECT_EQ(seen.size(), kCalls);
  for (const auto& [call, count] : seen) EXPECT_EQ(count, 1) << call;
}

TEST_F(WorkerOnNats, RunsAFailedCallAgainAfterItsDelay) {
  Awaited<v1::CallEvent> live;
  const auto following = follow(live);
  const tools::model::RetryPolicy policy{
      .max_attempts = 3, .initial_delay = std::chrono::milliseconds(100), .factor = 1};
  const auto bus = connect();
  auto worker =
      pool::start_worker(*bus, *metrics_,
                         test::registry_of({.retry = policy},
                                           [](const Json&, tools::model::ToolContext& context,
                                              tools::model::Progress&) -> tools::model::Execution {
                                             if (context.attempt() < 3)
                                               return test::failure("busy");
                                             return Json("third");
                                           }),
                         clock_, {.slots = 4});
  ASSERT_TRUE(worker);
  const auto events = events_of(submit(call("test", "tool"), proto::Lane::kNormal), live);
  ASSERT_EQ(events.size(), 5u);
  EXPECT_TRUE(events[1].has_retry_at());
  EXPECT_TRUE(events[3].has_retry_at());
  EXPECT_EQ(events[4].completed().result(), "\"third\"");
  EXPECT_EQ(events[4].attempt(), 3u);
  // Each followed the one before not sooner than it was due.
  EXPECT_GE(events[2].time_us(), events[1].retry_at().at_us());
  EXPECT_GE(events[4].completed().started_at_us(), events[3].retry_at().at_us());
}

TEST_F(WorkerOnNats, StopsACancelledCallWithinASecond) {
  Awaited<v1::CallEvent> live;
  const auto following = follow(live);
  test::Signal running;
  const auto bus = connect();
  auto worker = pool::start_worker(*bus, *metrics_,
                                   test::registry_of({.idempotent = false}, test::obeys(running)),
                                   clock_, {.worker_id = "w-1", .slots = 4});
  ASSERT_TRUE(worker);
  const auto request = call("test", "tool");
  const auto id = submit(request, proto::Lane::kNormal);
  ASSERT_TRUE(running.wait());
  const auto began = std::chrono::steady_clock::now();
  EXPECT_TRUE(cancel(request, "w-1"));
  const auto events = events_of(id, live);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[2].completed().outcome(), v1::OUTCOME_CANCELLED);
  EXPECT_EQ(events[2].completed().stop(), v1::STOP_COOPERATIVE);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(1));
}

/// What its argument `do` says: `quick` returns, `spin` does so once it is released and hears of no
/// stop, `obey` when it is asked to stop.
test::Body does(const test::Signal& spins, const test::Signal& obeying,
                const std::shared_ptr<std::atomic<bool>>& released) {
  return [=, obey = test::obeys(obeying)](
             const Json& arguments, tools::model::ToolContext& context,
             tools::model::Progress& progress) -> tools::model::Execution {
    const auto what = arguments.at("do").get<std::string>();
    if (what == "obey") return obey(arguments, context, progress);
    if (what == "spin") {
      spins.give();
      while (!*released) {
      }
    }
    return Json(what);
  };
}

TEST_F(WorkerOnNats, AToolThatSpinsDelaysNothingOfOtherCalls) {
  Awaited<v1::CallEvent> live;
  const auto following = follow(live);
  Awaited<std::string> extended;
  const auto settlements = client_->serve(
      "$JS.ACK.CALLS.>", "", [told = extended.callback()](const bus::Request& settlement) {
        if (settlement.payload == "+WPI") told(settlement.subject);
      });
  ASSERT_TRUE(settlements);
  bus::LoopThread turns;
  auto bus = bus::connect_jetstream({.url = server_->url(), .name = "test", .turns = &turns});
  ASSERT_TRUE(bus);
  const auto leader = threads::LoopLeader::start(turns, clock_);
  ASSERT_TRUE(leader);
  const test::Signal spins;
  const test::Signal obeying;
  const auto released = std::make_shared<std::atomic<bool>>(false);
  auto worker = pool::start_worker(**bus, *metrics_,
                                   test::registry_of({}, does(spins, obeying, released)), clock_,
                                   {.worker_id = "w-1",
                                    .slots = 4,
                                    .alive_interval = std::chrono::seconds(1),
                                    .extend_interval = std::chrono::seconds(1),
                                    .leader = leader});
  ASSERT_TRUE(worker);
  const auto submit_one = [&](const std::string& what) {
    auto request = call("test", "tool");
    request.set_arguments(R"({"do":")" + what + R"("})");
    submit(request, proto::Lane::kNormal);
    return request;
  };
  // It is known to be quick when it begins to spin, in one slot.
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(events_of(submit_one("quick").call_id(), live).back().has_completed());
  }
  const auto spinning = submit_one("spin");
  EXPECT_TRUE(spins.wait());
  // Calls in the others begin, say that they are alive, keep their deliveries, are cancelled, end.
  const auto held = submit_one("obey");
  EXPECT_TRUE(obeying.wait());
  std::set<std::string> kept;  // of both calls
  while (kept.size() < 2) {
    const auto settled = extended.next();
    ASSERT_TRUE(settled) << "the worker does not extend its deliveries";
    kept.insert(*settled);
  }
  for (bool alive = false; !alive;) {
    const auto event = live.next();
    ASSERT_TRUE(event) << "the worker does not say that the call is alive";
    alive = event->call_id() == held.call_id() && event->has_alive();
  }
  EXPECT_TRUE(cancel(held, "w-1"));
  const auto end = events_of(held.call_id(), live).back();
  EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_CANCELLED);
  EXPECT_TRUE(events_of(submit_one("quick").call_id(), live).back().has_completed());
  *released = true;
  EXPECT_TRUE(events_of(spinning.call_id(), live).back().has_completed());
  worker->reset();
  leader->end();
}

TEST_F(WorkerOnNats, EmptiesBothLanes) {
  constexpr std::size_t kEach = 400;
  Awaited<v1::CallEvent> live;
  const auto following = follow(live);
  std::set<std::string> bulk;
  for (std::size_t i = 0; i < kEach; ++i) {
    submit();
    auto request = call("bench", "echo");
    request.set_arguments(R"({"payload":"x"})");
    bulk.insert(submit(request, proto::Lane::kBulk));
  }
  const auto bus = connect();
  auto worker = pool::start_worker(*bus, *metrics_, registry_, clock_, {.slots = 8});
  ASSERT_TRUE(worker);
  std::size_t of_bulk = 0;
  std::size_t of_normal = 0;
  while (of_bulk + of_normal < 2 * kEach) {
    const auto event = live.next();
    ASSERT_TRUE(event);
    if (!event->has_completed()) continue;
    ++(bulk.contains(event->call_id()) ? of_bulk : of_normal);
  }
  EXPECT_EQ(of_bulk, kEach);
  EXPECT_EQ(of_normal, kEach);
}

}  // namespace
}  // namespace toolway::workers
