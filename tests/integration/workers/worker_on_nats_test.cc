// The worker on a real nats-server: what the in-memory bus cannot show.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <map>

#include "bus/jetstream_bus.h"
#include "local/nats_server.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "tests/support/awaiting.h"
#include "tests/support/temp_dir.h"
#include "tools/builtin/builtin.h"
#include "workers/worker.h"

namespace toolway::workers {
namespace {

using toolway::test::Awaited;

class WorkerOnNats : public ::testing::Test {
 protected:
  WorkerOnNats() {
    const char* program = std::getenv("TOOLWAY_NATS_SERVER");
    auto server = local::NatsServer::start({.program = program == nullptr ? "" : program,
                                            .directory = directory_.path().string(),
                                            .sync_always = false});
    if (!server) throw std::runtime_error(server.error().message);
    server_ = std::move(*server);
    client_ = connect();
    EXPECT_TRUE(client_->provision({.pools = {{.name = "native"}}}));
    registry_ = *tools::builtin_registry({.root = directory_.path()});
  }

  std::unique_ptr<bus::Bus> connect() {
    auto bus = bus::connect_jetstream({.url = server_->url(), .name = "test"});
    if (!bus) throw std::runtime_error(bus.error().message);
    return std::move(*bus);
  }

  /// Publishes a call of bench.echo until it is acknowledged; returns its id.
  std::string submit() {
    const CallId id = CallId::make(clock_.wall());
    v1::CallRequest request;
    request.set_call_id(id.text());
    request.set_session_key(session_.text());
    request.mutable_labels()->set_tool("echo");
    request.mutable_labels()->set_namespace_("bench");
    request.set_pool("native");
    request.set_arguments(R"({"payload":"x"})");
    request.set_submitted_at_us(to_unix_us(clock_.wall()));
    for (;;) {
      Awaited<Result<bus::PubAck>> ack;
      client_->publish(
          {.subject = proto::call_subject("native", proto::Lane::kNormal, 0, session_),
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
      client_->next_message(proto::kEventsStream, "event.>", next, message.callback());
      const auto found = message.next();
      if (!found || !*found) continue;
      next = (*found)->sequence + 1;
      const auto event = proto::decode_event((*found)->payload);
      if (event && event->has_completed()) ++seen[event->call_id()];
    }
    return seen;
  }

  toolway::test::TempDir directory_;
  const SystemClock clock_;
  const SessionKey session_ = SessionKey::make();
  std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("worker");
  std::unique_ptr<local::NatsServer> server_;
  std::unique_ptr<bus::Bus> client_;
  std::shared_ptr<const tools::Registry> registry_;
};

TEST_F(WorkerOnNats, CompletesEveryCallOnceWhileNatsIsKilledAndRestarted) {
  constexpr std::size_t kCalls = 600;
  const auto first_bus = connect();
  const auto second_bus = connect();
  auto first = start_worker(*first_bus, *metrics_, registry_, clock_, {.slots = 16});
  auto second = start_worker(*second_bus, *metrics_, registry_, clock_, {.slots = 16});
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
  auto first = start_worker(*first_bus, *metrics_, registry_, clock_, {.slots = 8});
  ASSERT_TRUE(first);
  for (std::size_t i = 0; i < kCalls; ++i) {
    submit();
    if (i == kCalls / 2) (*first)->drain();
  }
  auto second = start_worker(*second_bus, *metrics_, registry_, clock_, {.slots = 8});
  ASSERT_TRUE(second);
  const auto seen = completions(kCalls);
  EXPECT_EQ(seen.size(), kCalls);
  for (const auto& [call, count] : seen) EXPECT_EQ(count, 1) << call;
}

}  // namespace
}  // namespace toolway::workers
