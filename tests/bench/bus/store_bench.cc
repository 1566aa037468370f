#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <semaphore>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "bus/jetstream_bus.h"
#include "local/nats_server.h"
#include "proto/subjects.h"
#include "tests/bench/process_cpu.h"
#include "tests/support/temp_dir.h"

/// How many messages a nats-server stores, each acknowledged, and what CPU it takes: in CALLS, in
/// EVENTS, and in both at once, each by a connection of its own that keeps 256 unanswered. Nothing
/// delivers them. `store_bench [SECONDS]`; TOOLWAY_NATS_SERVER names another nats-server.
namespace {

using namespace toolway;
using Steady = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::ptrdiff_t kInFlight = 256;
constexpr std::size_t kBytes = 300;  // with subject and headers about what a call of bench is

std::unique_ptr<bus::Bus> connect(const std::string& url) {
  return bus::connect_jetstream({.url = url, .name = "toolway-bench"}).value();
}

/// Stores until `stop_at`; returns how many were acknowledged.
std::uint64_t store(const std::string& url, std::string_view stream, Steady::time_point stop_at) {
  std::counting_semaphore<> slots(kInFlight);
  std::atomic<std::uint64_t> stored{0};
  const SystemClock clock;
  const auto session = SessionKey::make();
  const auto bus = connect(url);  // last: its handlers use what is above
  const std::string payload(kBytes, 'x');
  const auto acknowledged = [&](const Result<bus::PubAck>& ack) {
    if (ack) ++stored;
    slots.release();
  };
  while (Steady::now() < stop_at) {
    slots.acquire();
    const auto id = CallId::make(clock.wall());
    if (stream == proto::kCallsStream) {
      bus->publish({.subject = proto::call_subject("native", proto::Lane::kNormal, 0, session),
                    .payload = payload,
                    .message_id = proto::call_message_id(id, 0)},
                   acknowledged);
    } else {
      bus->publish(
          {.subject = proto::event_subject(session, id), .payload = payload, .expected_last = 0},
          acknowledged);
    }
  }
  for (std::ptrdiff_t i = 0; i < kInFlight; ++i) slots.acquire();
  return stored;
}

void measure(const local::NatsServer& server, const std::vector<std::string_view>& streams,
             Seconds seconds) {
  const auto began = Steady::now();
  const auto before = bench::cpu_seconds_of(server.pid());
  std::atomic<std::uint64_t> stored{0};
  {
    std::vector<std::jthread> publishers;
    for (const auto stream : streams)
      publishers.emplace_back([&, stream] {
        stored += store(server.url(), stream,
                        began + std::chrono::duration_cast<Steady::duration>(seconds));
      });
  }
  const double took = Seconds(Steady::now() - began).count();
  const double used = bench::cpu_seconds_of(server.pid()) - before;
  const auto messages = static_cast<double>(stored);
  fmt::print(
      "{:<16} {:>9.0f} messages/s, {:>5.1f} us of the server's CPU each, {:.2f} cores busy with it\n",
      fmt::format("{}", fmt::join(streams, " + ")), messages / took, used / messages * 1e6,
      used / took);
}

}  // namespace

int main(int argc, char** argv) {
  const Seconds seconds(argc > 1 ? std::stod(argv[1]) : 5);
  const test::TempDir directory;
  const char* program = std::getenv("TOOLWAY_NATS_SERVER");
  const auto server = local::NatsServer::start({.program = program == nullptr ? "" : program,
                                                .directory = directory.path()})
                          .value();
  bus::Layout layout;
  layout.pools = {{.name = "native"}};
  if (!connect(server->url())->provision(layout)) return 1;
  for (const auto& streams : {std::vector{proto::kCallsStream},
                              {proto::kEventsStream},
                              {proto::kCallsStream, proto::kEventsStream}})
    measure(*server, streams, seconds);
  return 0;
}
