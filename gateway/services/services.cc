#include "gateway/services/services.h"

#include "monitoring/metric_names.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway {
namespace {

/// Followers that read the record at once: enough to keep the store busy, few enough to leave
/// it to the other requests as well.
constexpr std::size_t kReaders = 64;

std::string qualified_name(const v1::CallLabels& labels) {
  return labels.namespace_() + "." + labels.tool();
}

}  // namespace

Services::Services(bus::Bus& raw_bus, persistence::StoreReader& raw_store,
                   const tools::LiveRegistry& tools, monitoring::Metrics& metrics_in,
                   const Clock& clock_in, const GatewayOptions& options_in, Edge& edge_in,
                   asio::io_context& io)
    : options(options_in),
      edge(edge_in),
      registry(tools),
      metrics(metrics_in),
      clock(clock_in),
      executor(io.get_executor()),
      inbox(std::make_shared<LoopInbox>(io)),
      bus(raw_bus, inbox),
      store(raw_store, clock_in, inbox, options_in.store_threads),
      work(inbox, options_in.work_threads),
      memory(options_in.memory_budget_bytes / 8 * 3, metrics_in.gauge(monitoring::kMemoryHeld)),
      request_bytes(options_in.edge.request_bytes, metrics_in.gauge(monitoring::kRequestBytes)),
      sessions(raw_bus, bus, store, inbox, metrics_in, clock_in,
               {.idle = options_in.session_idle,
                .caps = options_in.session_caps,
                .bucket_used = [this] { return sessions_bucket_used(); }}),
      specs(bus),
      live(raw_bus, inbox),
      readers(executor, kReaders),
      page_turns(executor, options_in.store_threads + 2),
      switches(raw_bus),
      tools_view(tools, work, executor, [this] { return switches.now(); }),
      bus_watch(bus, clock_in, metrics_in, options_in.guard, executor),
      requests(metrics_in),
      workers(raw_bus, inbox, clock_in),
      scraper(metrics_in, inbox),
      gaps_filled(metrics_in.counter(monitoring::kGapsFilled)),
      followers(metrics_in.gauge(monitoring::kFollowers)),
      in_flight(metrics_in.gauge(monitoring::kRequestsInFlight)),
      memory_(metrics_in.gauge(monitoring::kSessionMemory)) {}

void Services::count_refused(ErrorCode code) {
  metrics.counter(monitoring::kCallsRefused, "code", code_name(code)).add();
}

void Services::count_accepted(const v1::CallRequest& call) {
  const std::string name = qualified_name(call.labels());
  // Two versions of a tool may name two pools.
  auto& counter = accepted_[call.pool() + '/' + name];
  if (counter == nullptr) {
    counter = &metrics.counter(monitoring::kCallsAccepted,
                               monitoring::CallKey{.tool = name, .pool = call.pool()});
  }
  counter->add();
}

void Services::count_completed(const v1::CallLabels& labels, std::string_view pool,
                               v1::Outcome outcome) {
  metrics
      .counter(monitoring::kCallsCompleted,
               monitoring::CallKey{.tool = qualified_name(labels),
                                   .pool = pool,
                                   .outcome = proto::outcome_name(outcome)})
      .add();
}

double Services::sessions_bucket_used() const {
  const auto& streams = bus_watch.facts().streams;
  const auto found = streams.find(proto::kSessionsStream);
  if (found == streams.end() || found->second.max_bytes <= 0) return 0;
  return static_cast<double>(found->second.bytes) / static_cast<double>(found->second.max_bytes);
}

void Services::measure_memory() {
  std::size_t bytes = sessions.bytes();
  for (const Feed* feed : feeds) bytes += feed->bytes();
  memory_.set(static_cast<double>(bytes));
}

}  // namespace toolway::gateway
