#include "gateway/server/gateway_parts.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "bus/answer.h"
#include "monitoring/metric_names.h"
#include "proto/audit.h"
#include "proto/subjects.h"

namespace toolway::gateway::server {
namespace {

/// Followers that read the record at once: enough to keep the store busy, few enough to leave
/// it to the other requests as well.
constexpr std::size_t kReaders = 64;

/// Each waits for a service's answer; all loops of a process have as many as it may ask at once.
unsigned asking_threads(const GatewayOptions& options) {
  if (!options.services) return 0;
  const auto all = static_cast<unsigned>(extensions::services::ServiceDesk::kAtOnce);
  return std::max(1U, all / options.loops);
}

wire::UserPlaces::Caps wait_caps(const GatewayOptions& options) {
  const std::size_t requests = options.edge.requests_per_user;
  return {.most = std::max(options.waits.most, options.max_connections),
          .per_user = requests == 0 ? 0 : std::max(options.waits.per_user, requests)};
}

/// Of a gateway that was given none: no other takes what it hands out.
std::shared_ptr<const SealKeys> own_keys() {
  return std::make_shared<const SealKeys>(*SealKeys::parse(SealKeys::new_line("own")));
}

bus::Publication telling(const v1::AuditRecord& record) {
  return {.subject = proto::audit_subject("gateway"),
          .payload = proto::encode(record),
          .message_id = record.id()};
}

}  // namespace

GatewayParts::GatewayParts(bus::Bus& bus_in, persistence::store::StoreReader& raw_store,
                           const tools::model::LiveRegistry& tools, monitoring::Metrics& metrics_in,
                           const Clock& clock_in, const GatewayOptions& options_in,
                           edge::Edge& edge_in, asio::io_context& io)
    : options(options_in),
      raw_bus(bus_in),
      edge(edge_in),
      registry(tools),
      metrics(metrics_in),
      seal_keys(options_in.seal_keys ? options_in.seal_keys : own_keys()),
      clock(clock_in),
      executor(io.get_executor()),
      io_post(std::make_shared<loop::IoPost>(io)),
      gate(options_in.authority, edge_in.operators, io_post, metrics_in, clock_in),
      bus(bus_in, io_post),
      store(raw_store, clock_in, io_post, options_in.store_threads),
      work(io_post, clock_in, options_in.work_threads),
      checks(io_post, clock_in, 1),
      asking(io_post, clock_in, asking_threads(options_in), extensions::kLongestAnswer),
      memory(options_in.memory_budget_bytes / 8 * 3, metrics_in.gauge(monitoring::kMemoryHeld)),
      request_bytes(options_in.edge.request_bytes, metrics_in.gauge(monitoring::kRequestBytes)),
      sessions(bus_in, bus, store, io_post, metrics_in, clock_in,
               {.idle = options_in.session_idle,
                .caps = options_in.session_caps,
                .bucket_used = [this] { return bucket_used(proto::kSessionsStream); },
                .deleted = [this](const SessionKey& key) { deleted_sessions.push_back(key); }}),
      wait_places(wait_caps(options_in)),
      call_looks(bus, executor),
      specs(bus, clock_in),
      live(bus_in, io_post, clock_in),
      readers(executor, kReaders),
      page_turns(executor, options_in.store_threads + 2),
      switches(bus_in),
      policies(std::make_shared<extensions::chain::PolicyBoard>()),
      policies_mirror(bus_in, {proto::kPoliciesBucket, proto::kPoliciesStream},
                      [board = policies](const auto& entries, auto extent) {
                        board->take_entries(entries, extent == bus::BucketMirror::Extent::kAll);
                      }),
      chain_metrics(metrics_in, clock_in),
      limits(bus, clock_in, metrics_in, chain_metrics, limit_refusals, executor),
      tools_view(tools, work, executor, [this] { return switches.now(); }),
      workers(bus_in, io_post, clock_in),
      bus_watch(bus, clock_in, metrics_in, options_in.guard,
                {.workers = workers, .shares = fleet_shares}, executor),
      waiting_limits({.bus = bus,
                      .messenger = bus_in,
                      .io_post = io_post,
                      .clock = clock_in,
                      .queues = bus_watch,
                      .counts = waiting_counts,
                      .fleet = fleet_shares,
                      .refusals = limit_refusals,
                      .metrics = metrics_in,
                      .chain_metrics = chain_metrics,
                      .executor = executor}),
      requests(metrics_in),
      mcp_metrics(metrics_in),
      mcp_marks(bus, clock_in),
      mcp_offers(*options_in.offers, work),
      scraper(metrics_in, io_post),
      counters(metrics_in),
      refusals(clock_in),
      key_shares(options_in.key_caps, [this] { return bucket_used(proto::kIdempotencyStream); }),
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
           .shares = key_shares,
           .counters = counters,
           .tracer = *options_in.tracer,
           .clock = clock_in,
           .accept_deadline = options_in.accept_deadline},
      plan{.registry = tools,
           .switches = switches,
           .policies = *policies,
           .chain_metrics = chain_metrics,
           .threads = work,
           .checks = checks,
           .tracer = *options_in.tracer,
           .clock = clock_in},
      submit{.queues = bus_watch,
             .waiting = waiting_limits,
             .specs = specs,
             .bus = bus,
             .accepted_here = accepted_here,
             .counters = counters,
             .tracer = *options_in.tracer,
             .clock = clock_in,
             .accept_deadline = options_in.accept_deadline},
      waits{.store = store,
            .live = live,
            .places = wait_places,
            .looks = call_looks,
            .memory = memory,
            .clock = clock_in,
            .drain = drain,
            .gap_check = options_in.gap_check},
      services{.desk = options_in.services,
               .threads = asking,
               .metrics = chain_metrics,
               .clock = clock_in},
      session_waits{.live = live,
                    .recorded = recorded,
                    .pages = pages,
                    .threads = work,
                    .gap_check = options_in.gap_check},
      endpoints(make_endpoints()),
      connections{.endpoints = endpoints,
                  .edge = edge_in,
                  .request_bytes = request_bytes,
                  .memory = memory,
                  .requests = requests,
                  .in_flight = metrics_in.gauge(monitoring::kRequestsInFlight),
                  .followers = metrics_in.gauge(monitoring::kFollowers),
                  .tracer = *options_in.tracer,
                  .clock = clock_in,
                  .read_timeout = options_in.read_timeout,
                  .idle_timeout = options_in.idle_timeout,
                  .write_timeout = options_in.write_timeout},
      memory_(metrics_in.gauge(monitoring::kSessionMemory)) {}

void GatewayParts::tell_refusals() {
  for (auto& record : refusals.take(calls::Refusals::Which::kOfPastMinutes)) {
    auto told = telling(record);
    auto again = [this, post = io_post, record = std::move(record)](Result<bus::PubAck> stored) {
      if (stored) return;
      post->post([this, record] { refusals.put_back(record); });
    };
    raw_bus.publish(std::move(told), std::move(again));
  }
}

void GatewayParts::tell_last_refusals() {
  for (const auto& record : refusals.take(calls::Refusals::Which::kAll)) {
    last_refusals.push_back(bus::asked<bus::PubAck>(
        [&](auto handler) { raw_bus.publish(telling(record), std::move(handler)); }));
  }
}

void GatewayParts::await_last_refusals(std::chrono::milliseconds patience) {
  if (raw_bus.connection() != bus::Connection::kConnected) return;
  const MonotonicTime until = clock.monotonic() + patience;
  const auto lost = std::ranges::count_if(last_refusals, [&](auto& told) {
    return told.wait_for(until - clock.monotonic()) != std::future_status::ready || !told.get();
  });
  if (lost > 0) spdlog::warn("the audit lacks {} records of what was refused", lost);
}

endpoints::Endpoints GatewayParts::make_endpoints() {
  return {.edge = edge,
          .gate = gate,
          .switches = switches,
          .policies = *policies,
          .drain = drain,
          .seal_keys = *seal_keys,
          .clock = clock,
          .accept_deadline = options.accept_deadline,
          .counters = counters,
          .refusals = refusals,
          .sessions = {.sessions = sessions,
                       .tools = tools_view,
                       .registry = registry,
                       .recorded = recorded,
                       .pages = pages,
                       .answers = answers},
          .restore = {.sessions = sessions,
                      .tools = tools_view,
                      .registry = registry,
                      .mailbox = mailbox,
                      .answers = answers,
                      .clock = clock},
          .close = make_close(),
          .completions = {sessions, mailbox, store},
          .tools = {sessions, tools_view, answers},
          .posts = {sessions, plan, run, counters, refusals, options.max_arguments_bytes},
          .calls = {call_search, sessions, pages, registry},
          .events = {call_search, sessions, pages, feed_sources},
          .explain = make_explain(),
          .specs = make_specs(),
          .switched = {.bus = bus, .board = switches, .registry = registry, .clock = clock},
          .approvals = make_approvals(),
          .audit = {store, memory, clock},
          .messages = make_messages(),
          .tasks = {call_search, cancel, waits},
          .input = {call_search, streams, cancel, bus_watch},
          .mcp = make_mcp(),
          .search = call_search,
          .streams = streams,
          .cancel = cancel,
          .tools_view = tools_view,
          .answers = answers,
          .workers = workers,
          .queues = bus_watch,
          .store = store,
          .scraper = scraper,
          .clock_in_words = options.clock_in_words,
          .durability = options.durability};
}

endpoints::ApprovalsContext GatewayParts::make_approvals() {
  return {.search = call_search,
          .pages = pages,
          .policies = *policies,
          .decide = {.log = cancel, .queues = bus_watch, .specs = specs, .registry = registry}};
}

endpoints::CloseContext GatewayParts::make_close() {
  return {.sessions = sessions,
          .tools = tools_view,
          .registry = registry,
          .switches = switches,
          .recorded = recorded,
          .pages = pages,
          .waits = session_waits,
          .cancel = cancel,
          .answers = answers,
          .counters = counters,
          .drain = drain,
          .clock = clock};
}

mcp::McpContext GatewayParts::make_mcp() {
  return {.sessions = sessions,
          .tools = tools_view,
          .plan = plan,
          .run = run,
          .feeds = feed_sources,
          .bus = bus,
          .marks = mcp_marks,
          .opened = mcp_opened,
          .polls = mcp_polls,
          .runs = mcp_runs,
          .watched = mcp_watched,
          .seal_keys = *seal_keys,
          .clock = clock,
          .offers = mcp_offers,
          .metrics = mcp_metrics,
          .answer_task =
              [this](const wire::RoutedRequest& routed, const sessions::Session& session,
                     std::string tool, Json arguments) {
                return endpoints::answer_task(endpoints.tasks, routed, session,
                                              {std::move(tool), std::move(arguments)});
              },
          .max_arguments_bytes = options.max_arguments_bytes,
          .keep_days = options.keep_days};
}

endpoints::MessagesContext GatewayParts::make_messages() {
  return {.sessions = sessions,
          .plan = plan,
          .run = run,
          .feeds = feed_sources,
          .store = store,
          .memory = memory,
          .work = work,
          .workers = workers,
          .queues = bus_watch,
          .seal_keys = *seal_keys,
          .clock = clock,
          .max_arguments_bytes = options.max_arguments_bytes};
}

endpoints::ExplainContext GatewayParts::make_explain() {
  return {.bus = bus,
          .store = store,
          .sessions = sessions,
          .streams = streams,
          .recorded = recorded,
          .queues = bus_watch,
          .workers = workers,
          .registry = registry,
          .policies = *policies,
          .refusals = limit_refusals,
          .memory = memory,
          .clock = clock,
          .unrecorded_cap = options.guard.unrecorded};
}

endpoints::SpecsContext GatewayParts::make_specs() {
  return {.threads = store,
          .specs = options.specs,
          .read_up_to = options.specs_read_up_to,
          .read = options.read_specs,
          .work = work,
          .registry = registry};
}

double GatewayParts::bucket_used(std::string_view stream) const {
  const auto& facts = bus_watch.facts().streams;
  const auto found = facts.find(stream);
  if (found == facts.end() || found->second.max_bytes <= 0) return 0;
  return static_cast<double>(found->second.bytes) / static_cast<double>(found->second.max_bytes);
}

void GatewayParts::end_feeds_of_deleted() {
  if (deleted_sessions.empty()) return;
  std::sort(deleted_sessions.begin(), deleted_sessions.end());
  for (live::Feed* feed : feeds)
    if (std::binary_search(deleted_sessions.begin(), deleted_sessions.end(), feed->scope().session))
      feed->end();
  deleted_sessions.clear();
}

void GatewayParts::measure_memory() {
  std::size_t bytes = sessions.bytes();
  for (const live::Feed* feed : feeds) bytes += feed->bytes();
  memory_.set(static_cast<double>(bytes));
}

}  // namespace toolway::gateway::server
