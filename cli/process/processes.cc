#include "cli/process/processes.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/os/seal_key_file.h"
#include "base/try.h"
#include "cli/process/bus_probe.h"
#include "cli/process/file_limit.h"
#include "cli/process/gateway_specs.h"
#include "cli/process/host_port.h"
#include "cli/process/last_resort.h"
#include "cli/process/process_clock.h"
#include "cli/process/process_parts.h"
#include "cli/process/reader_options.h"
#include "cli/process/stop_signals.h"
#include "cli/process/telemetry.h"
#include "cli/terminal/exit_code.h"
#include "gateway/gateway.h"
#include "gateway/server/start_gateway.h"
#include "monitoring/metric_registry.h"
#include "persistence/collector/collector.h"
#include "persistence/reaper/reaper.h"
#include "persistence/reaper/sealer.h"
#include "persistence/specs/postgres_spec_store.h"
#include "persistence/store/lookup.h"
#include "persistence/store/postgres_reader.h"
#include "persistence/store/store_watch.h"
#include "tools/builtin/builtin.h"
#include "tools/model/live_registry.h"

namespace toolway::cli::process {
namespace {

using std::chrono::seconds;

/// After the signal; both end within an orchestrator's 30 s.
constexpr seconds kGatewayEnds{20};
constexpr seconds kCollectorEnds{25};

using Gateways = std::vector<std::unique_ptr<gateway::Gateway>>;
using Stores = std::vector<std::unique_ptr<persistence::store::StoreReader>>;

void drain_all(Gateways& gateways, const Clock& clock, std::chrono::milliseconds timeout) {
  const auto until = clock.monotonic() + timeout;
  for (auto& gateway : gateways) gateway->begin_drain();
  for (auto& gateway : gateways)
    gateway->drain(
        std::chrono::duration_cast<std::chrono::milliseconds>(until - clock.monotonic()));
}

/// With little memory, a loop could never hold a page of the record.
Result<void> check_loops(const ProcessOptions& options) {
  constexpr unsigned kLeastMib = 64;
  if (options.memory_budget_mib / options.loops >= kLeastMib) return {};
  return fail(ErrorCode::kInvalidRequest,
              fmt::format("--loops {} needs --memory-budget {} at least: {} MiB for each loop",
                          options.loops, options.loops * kLeastMib, kLeastMib));
}

/// Where a gateway listens, once all options that need no server are known to be right.
Result<HostPort> checked_address(const ProcessOptions& options) {
  RETURN_IF_ERROR(check_loops(options));
  RETURN_IF_ERROR(check_services(options.webhook_secrets));
  ASSIGN_OR_RETURN(auto where, parse_host_port(options.http));
  RETURN_IF_ERROR(gateway::auth::check_options(options.edge.auth, where.host));
  return where;
}

/// The loops of one gateway: `start(loop)` starts each, as `face` says then.
template <typename Start>
Result<Gateways> start_loops(const std::vector<CountedBus>& buses, gateway::GatewayOptions& face,
                             Start start) {
  Gateways gateways;
  for (unsigned loop = 0; loop < buses.size(); ++loop) {
    face.loop = loop;
    face.bus_turns = buses[loop].turns.get();
    ASSIGN_OR_RETURN(auto gateway, start(loop));
    face.port = gateway->port();
    gateways.push_back(std::move(gateway));
  }
  return gateways;
}

/// Null: not asked for.
Result<std::unique_ptr<monitoring::HttpEndpoint>> serve_scraper(const ProcessOptions& options,
                                                                monitoring::Metrics& metrics,
                                                                BusProbe& nats) {
  if (options.gateway_metrics.empty()) return nullptr;
  return serve_metrics(options.gateway_metrics, metrics, [&nats] { return nats.ready(); });
}

/// What the command line says of it.
gateway::GatewayOptions face_of(const ProcessOptions& options, const HostPort& where,
                                std::shared_ptr<monitoring::Tracer> tracer) {
  gateway::GatewayOptions face{.host = where.host,
                               .port = where.port,
                               .session_idle = seconds(options.session_idle),
                               .keep_days = std::chrono::days(options.keep_days),
                               .session_caps = options.session_caps,
                               .key_caps = options.key_caps,
                               .memory_budget_bytes = std::size_t{options.memory_budget_mib} << 20U,
                               .guard = options.guard,
                               .tracer = std::move(tracer),
                               .durability = options.durability,
                               .loops = options.loops};
  apply_edge(options.edge, options.edge_caps, face);
  return face;
}

/// Those of a file, or some that end with this process.
Result<std::shared_ptr<const SealKeys>> token_keys_of(const ProcessOptions& options) {
  auto keys = options.seal_keys.empty() ? SealKeys::parse(SealKeys::new_line("own"))
                                        : os::read_seal_keys(options.seal_keys);
  if (options.seal_keys.empty())
    spdlog::warn(
        "no --seal-keys: other gateways refuse the MCP sessions, the cursors of MCP lists and the "
        "turns of conversations that this one hands out, and so does this one after a restart "
        "(docs/operations.md#seal-keys-of-gateways)");
  RETURN_IF_ERROR(keys);
  return std::make_shared<const SealKeys>(*std::move(keys));
}

/// Whom it believes, and what it seals with.
Result<void> set_trust(const ProcessOptions& options, bus::Bus& bus, const Clock& clock,
                       gateway::GatewayOptions& face) {
  ASSIGN_OR_RETURN(face.authority,
                   gateway::auth::start_authority(bus, clock, options.edge.auth, face.host));
  ASSIGN_OR_RETURN(face.seal_keys, token_keys_of(options));
  return {};
}

Result<persistence::reaper::SealerOptions> sealing_of(const ProcessOptions& options) {
  persistence::reaper::SealerOptions sealing{
      .postgres_url = options.postgres_url, .keys = {}, .keep_days = options.keep_audit_days};
  if (options.seal_keys.empty()) {
    spdlog::warn("no --seal-keys: nothing proves that the audit was not changed (docs/audit.md)");
    return sealing;
  }
  ASSIGN_OR_RETURN(sealing.keys, os::read_seal_keys(options.seal_keys));
  if (options.audit_continues_from.empty()) return sealing;
  ASSIGN_OR_RETURN(sealing.continues_from,
                   persistence::audit::parse_anchor(options.audit_continues_from));
  return sealing;
}

/// One for each loop.
Stores make_stores(const ProcessOptions& options) {
  Stores stores;
  for (unsigned loop = 0; loop < options.loops; ++loop)
    stores.push_back(persistence::store::make_postgres_reader({.url = options.postgres_url}));
  return stores;
}

}  // namespace

int run_gateway(const ProcessOptions& options) {
  StopSignals signals;
  LastResort last_resort;
  start_log(options, "gateway");
  raise_file_limit();
  auto where = checked_address(options);
  if (!where) return report(where.error());
  auto builtin = tools::builtin::builtin_registry({.root = options.root});
  if (!builtin) return report(builtin.error());
  auto metrics = monitoring::make_registry("gateway");
  auto tracer = start_telemetry(options.telemetry, "gateway", *metrics);
  if (!tracer) return report(tracer.error());
  auto buses = connect_each(options, "gateway", *metrics, options.loops);
  if (!buses) return report(buses.error());
  bus::Bus& first_bus = *buses->front().bus;
  const auto time = ProcessClock::start(first_bus, *metrics, signals, "gateway");
  if (!time) return report(time.error());
  const auto stores = make_stores(options);
  tools::model::LiveRegistry live(*builtin);
  const auto offers = std::make_shared<tools::specs::LiveOffers>();
  const auto read_up_to = std::make_shared<std::atomic<std::int64_t>>(0);
  auto specs =
      start_gateway_specs(options, *builtin, {live, *offers}, first_bus, *metrics, read_up_to);
  if (!specs) return report(specs.error());
  const auto spec_cutoff = std::make_shared<persistence::postgres::PgCutoff>();
  persistence::specs::PostgresSpecStore spec_store(
      options.postgres_url, check_stored_version,
      persistence::postgres::patience_of_a_reader(seconds(5), spec_cutoff));
  auto services = start_services(options, (*time)->clock());
  if (!services) return report(services.error());
  auto face = face_of(options, *where, *tracer);
  if (const auto trusted = set_trust(options, first_bus, (*time)->clock(), face); !trusted)
    return report(trusted.error());
  face.services = *std::move(services);
  face.clock_in_words = [&time] { return (*time)->in_words(); };
  face.specs = &spec_store;
  face.specs_read_up_to = [read_up_to] { return read_up_to->load(); };
  face.read_specs = sent_spec_reader(**builtin);
  face.offers = offers;
  if (const auto warning = open_to_pages(where->host, options.edge)) spdlog::warn("{}", *warning);
  auto gateways = start_loops(*buses, face, [&](unsigned loop) {
    return gateway::server::start_gateway(*(*buses)[loop].bus, *stores[loop], live, *metrics,
                                          (*time)->clock(), face);
  });
  if (!gateways) return report(gateways.error());
  BusProbe nats(first_bus);
  const auto scraped = serve_scraper(options, *metrics, nats);
  if (!scraped) return report(scraped.error());
  if (auto said = say_ready(options, where->host, face.port); !said) return report(said.error());
  signals.wait();
  spdlog::info("draining");
  last_resort.arm(kGatewayEnds);
  drain_all(*gateways, (*time)->clock(), seconds(10));
  // The requests that waited for them have been answered by now.
  for (auto& store : stores) store->give_up();
  spec_cutoff->end();
  spdlog::info("stopped");
  return terminal::kExitOk;
}

int run_collector(const ProcessOptions& options) {
  StopSignals signals;
  LastResort last_resort;
  start_log(options, "collector");
  auto sealing = sealing_of(options);
  if (!sealing) return report(sealing.error());
  auto metrics = monitoring::make_registry("collector");
  auto tracer = start_telemetry(options.telemetry, "collector", *metrics);
  if (!tracer) return report(tracer.error());
  auto bus = connect(options, "collector", *metrics);
  if (!bus) return report(bus.error());
  const auto time = ProcessClock::start(*bus->bus, *metrics, signals, "collector");
  if (!time) return report(time.error());
  const Clock& clock = (*time)->clock();
  auto store =
      persistence::store::make_postgres_reader({.url = options.postgres_url, .connections = 1});
  auto collector = persistence::collector::start_collector(*bus->bus, *metrics,
                                                           {.postgres_url = options.postgres_url,
                                                            .keep_days = options.keep_days,
                                                            .tracer = *tracer,
                                                            .clock = &clock});
  auto lookups =
      persistence::store::serve_lookups(*bus->bus, clock, {.postgres_url = options.postgres_url});
  if (!lookups) return report(lookups.error());
  persistence::reaper::ReaperOptions reaping;
  reaping.postgres_url = options.postgres_url;
  reaping.session_idle = seconds(options.session_idle);
  reaping.closed_session_keep = seconds(options.closed_session_keep);
  reaping.clock_is_right = [&time] { return (*time)->right(); };
  auto reaper = persistence::reaper::start_reaper(*bus->bus, *metrics, clock, std::move(reaping));
  auto sealer = persistence::reaper::start_sealer(*bus->bus, *metrics, clock, *std::move(sealing));
  BusProbe nats(*bus->bus);
  persistence::store::StoreWatch postgres(*store, clock);
  auto endpoint = endpoint_of(options, *metrics, [&]() -> Result<void> {
    RETURN_IF_ERROR(nats.ready());
    return postgres.ready();
  });
  if (!endpoint) return report(endpoint.error());
  signals.wait();
  spdlog::info("draining");
  last_resort.arm(kCollectorEnds);
  store->give_up();
  // First, so that another one is elected while this one flushes.
  reaper.reset();
  sealer.reset();
  collector->stop();
  spdlog::info("stopped");
  return terminal::kExitOk;
}

}  // namespace toolway::cli::process
