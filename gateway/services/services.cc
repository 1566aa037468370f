#include "gateway/services/services.h"

#include "monitoring/metric_names.h"
#include "proto/subjects.h"

namespace toolway::gateway {
namespace {

/// Followers that read the record at once: enough to keep the store busy, few enough to leave
/// it to the other requests as well.
constexpr std::size_t kReaders = 64;

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
      counters(metrics_in),
      feed_sources{.bus = bus,
                   .store = store,
                   .live = live,
                   .clock = clock_in,
                   .gaps_filled = metrics_in.counter(monitoring::kGapsFilled),
                   .readers = readers,
                   .memory = memory,
                   .feeds = feeds,
                   .executor = executor},
      keys{.bus = bus,
           .registry = tools,
           .counters = counters,
           .tracer = *options_in.tracer,
           .clock = clock_in,
           .accept_deadline = options_in.accept_deadline},
      plan{.registry = tools,
           .switches = switches,
           .threads = work,
           .tracer = *options_in.tracer,
           .clock = clock_in},
      submit{.queues = bus_watch,
             .specs = specs,
             .bus = bus,
             .accepted_here = accepted_here,
             .counters = counters,
             .tracer = *options_in.tracer,
             .clock = clock_in,
             .accept_deadline = options_in.accept_deadline},
      waits{.bus = bus,
            .store = store,
            .live = live,
            .memory = memory,
            .drain = drain,
            .gap_check = options_in.gap_check},
      session_waits{.live = live,
                    .recorded = recorded,
                    .pages = pages,
                    .threads = work,
                    .gap_check = options_in.gap_check},
      followers(metrics_in.gauge(monitoring::kFollowers)),
      in_flight(metrics_in.gauge(monitoring::kRequestsInFlight)),
      memory_(metrics_in.gauge(monitoring::kSessionMemory)) {}

double Services::sessions_bucket_used() const {
  const auto& facts = bus_watch.facts().streams;
  const auto found = facts.find(proto::kSessionsStream);
  if (found == facts.end() || found->second.max_bytes <= 0) return 0;
  return static_cast<double>(found->second.bytes) / static_cast<double>(found->second.max_bytes);
}

void Services::measure_memory() {
  std::size_t bytes = sessions.bytes();
  for (const Feed* feed : feeds) bytes += feed->bytes();
  memory_.set(static_cast<double>(bytes));
}

}  // namespace toolway::gateway
