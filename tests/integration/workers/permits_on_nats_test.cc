// Limits on running calls on a real nats-server: three workers run no more at once than one may.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "bus/key_value.h"
#include "extensions/reader/stored_policy.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "tests/support/awaiting.h"
#include "tests/support/nats.h"
#include "tests/support/temp_dir.h"
#include "tests/support/write_entry.h"
#include "tests/unit/workers/worker_bench.h"
#include "workers/pool/start_worker.h"

namespace toolway::workers {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

/// What runs at the moment, and how much ran at once at most.
struct Runs {
  std::atomic<int> now{0};
  std::atomic<int> most{0};
  std::atomic<int> all{0};
};

class PermitsOnNats : public ::testing::Test {
 protected:
  static constexpr int kWorkers = 3;

  PermitsOnNats() {
    server_ = toolway::test::start_nats(directory_.path().string());
    client_ = connect();
    EXPECT_TRUE(client_->provision({.pools = {{.name = "native"}}}));
  }
  std::unique_ptr<bus::Bus> connect() { return toolway::test::connect_to(*server_); }

  void put(const std::string& rules) {
    toolway::test::write_entry(
        *client_, proto::kPoliciesBucket, std::string(extensions::reader::kPolicyKey),
        extensions::reader::encode(
            {.number = 1, .by = "ann", .at = "2026-01-01T00:00:00Z", .text = "rules:\n" + rules}));
  }
  void start_workers(std::size_t slots) {
    const auto registry = test::registry_of(
        {},
        [runs = runs_](const Json&, tools::model::ToolContext&,
                       tools::model::Progress&) -> tools::model::Execution {
          const int now = ++runs->now;
          ++runs->all;
          for (int most = runs->most; now > most && !runs->most.compare_exchange_weak(most, now);) {
          }
          std::this_thread::sleep_for(20ms);
          --runs->now;
          return Json(1);
        });
    for (int i = 0; i < kWorkers; ++i) {
      buses_.push_back(connect());
      auto worker = pool::start_worker(*buses_.back(), *metrics_, registry, clock_,
                                       {.worker_id = "w" + std::to_string(i), .slots = slots});
      ASSERT_TRUE(worker) << worker.error().message;
      workers_.push_back(std::move(*worker));
    }
  }
  void submit(int calls) {
    for (int i = 0; i < calls; ++i) {
      const auto session = SessionKey::make();
      v1::CallRequest request;
      request.set_call_id(CallId::make(clock_.wall()).text());
      request.set_session_key(session.text());
      request.mutable_labels()->set_tool("tool");
      request.mutable_labels()->set_namespace_("test");
      request.set_pool("native");
      request.set_arguments("{}");
      request.set_submitted_at_us(to_unix_us(clock_.wall()));
      toolway::test::Awaited<Result<bus::PubAck>> ack;
      client_->publish({.subject = proto::call_subject("native", proto::Lane::kNormal, 0, session),
                        .payload = proto::encode(request)},
                       ack.callback());
      const auto stored = ack.next();
      ASSERT_TRUE(stored && *stored);
    }
  }
  /// The attempts of all that are completed.
  std::vector<unsigned> completed(std::size_t calls) {
    std::vector<unsigned> attempts;
    std::uint64_t next = 1;
    const auto give_up = steady_clock::now() + 60s;
    while (attempts.size() < calls && steady_clock::now() < give_up) {
      toolway::test::Awaited<Result<bus::StoredMessage>> message;
      client_->next_message(proto::kEventsStream, "event.>", next, bus::ReadFrom::kLeader,
                            message.callback());
      const auto found = message.next();
      if (!found || !*found) continue;
      next = (*found)->sequence + 1;
      const auto event = proto::decode_event((*found)->payload);
      if (event && event->has_completed()) attempts.push_back(event->attempt());
    }
    return attempts;
  }
  std::vector<bus::Entry> permits() {
    bus::KeyValue bucket(*client_, std::string(proto::kPermitsBucket));
    toolway::test::Awaited<Result<std::vector<bus::Entry>>> listed;
    bucket.list(listed.callback());
    return **listed.next();
  }

  const toolway::test::TempDir directory_;
  const SystemClock clock_;
  std::unique_ptr<local::NatsServer> server_;
  std::unique_ptr<bus::Bus> client_;
  const std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("worker");
  const std::shared_ptr<Runs> runs_ = std::make_shared<Runs>();
  std::vector<std::unique_ptr<bus::Bus>> buses_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

TEST_F(PermitsOnNats, ThreeWorkersRunNoMoreAtOnceThanTheLimitSays) {
  put("  - {name: four, tools: test.tool, limit: {running: 4}}\n");
  start_workers(16);
  constexpr int kCalls = 120;
  const auto began = steady_clock::now();
  submit(kCalls);
  const auto attempts = completed(kCalls);
  const auto took = std::chrono::duration<double>(steady_clock::now() - began).count();
  std::printf("%d calls of 20 ms in %.2f s, at most %d at once\n", kCalls, took,
              runs_->most.load());
  ASSERT_EQ(attempts.size(), static_cast<std::size_t>(kCalls));
  EXPECT_LE(runs_->most, 4);
  EXPECT_GE(runs_->most, 3) << "the permits are used";
  EXPECT_EQ(runs_->all, kCalls) << "a call that goes back was not started";
  for (const auto attempt : attempts) EXPECT_EQ(attempt, 1U);
  for (auto& worker : workers_) worker->drain();
  workers_.clear();
  for (const auto& entry : permits()) EXPECT_EQ(entry.value, "") << entry.key << ": not given back";
}

TEST_F(PermitsOnNats, WorkersThatCannotReachTheBusForAWhileDoNotRunMore) {
  put("  - {name: two, tools: test.tool, limit: {running: 2}}\n");
  start_workers(8);
  submit(40);
  std::this_thread::sleep_for(1500ms);
  server_->stop(SIGKILL);
  std::this_thread::sleep_for(1s);
  const auto again = server_->restart();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(completed(40).size(), 40U);
  EXPECT_LE(runs_->most, 2);
}

}  // namespace
}  // namespace toolway::workers
