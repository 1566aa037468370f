#include "cli/process/processes.h"

#include <spdlog/spdlog.h>

#include <memory>

#include "base/clock.h"
#include "base/log.h"
#include "cli/exit_code.h"
#include "cli/process/file_limit.h"
#include "cli/process/files.h"
#include "cli/process/process_parts.h"
#include "cli/process/stop_signals.h"
#include "cli/process/telemetry.h"
#include "cli/specs/gateway_specs.h"
#include "gateway/gateway.h"
#include "monitoring/metric_registry.h"
#include "persistence/collector.h"
#include "persistence/lookup.h"
#include "persistence/postgres_reader.h"
#include "persistence/reaper/reaper.h"
#include "tools/builtin/builtin.h"
#include "tools/live_registry.h"

namespace toolway::cli {
namespace {

using std::chrono::seconds;

}  // namespace

int run_gateway(const ProcessOptions& options) {
  StopSignals signals;
  start_logging("gateway", options.log_level);
  raise_file_limit();
  auto where = parse_host_port(options.http);
  if (!where) return report(where.error());
  auto builtin = tools::builtin_registry({.root = options.root, .specs = {}});
  if (!builtin) return report(builtin.error());
  auto metrics = monitoring::make_registry("gateway");
  auto tracer = start_telemetry(options.telemetry, "gateway", *metrics);
  if (!tracer) return report(tracer.error());
  auto bus = connect(options, "gateway", *metrics);
  if (!bus) return report(bus.error());
  auto store = persistence::make_postgres_reader({.url = options.postgres_url});
  const SystemClock clock;
  tools::LiveRegistry live(*builtin);
  auto specs = start_gateway_specs(options, *builtin, live, *bus->bus, *metrics);
  if (!specs) return report(specs.error());
  gateway::GatewayOptions face{.host = where->host,
                               .port = where->port,
                               .session_idle = seconds(options.session_idle),
                               .guard = options.guard,
                               .tracer = *tracer};
  apply_edge(options.edge, options.edge_caps, face);
  auto gateway = gateway::start_gateway(*bus->bus, *store, live, *metrics, clock, std::move(face));
  if (!gateway) return report(gateway.error());
  if (auto said = say_ready(options, where->host, (*gateway)->port()); !said)
    return report(said.error());
  signals.wait();
  spdlog::info("draining");
  (*gateway)->drain(seconds(10));
  spdlog::info("stopped");
  return kExitOk;
}

int run_collector(const ProcessOptions& options) {
  StopSignals signals;
  start_logging("collector", options.log_level);
  auto metrics = monitoring::make_registry("collector");
  auto tracer = start_telemetry(options.telemetry, "collector", *metrics);
  if (!tracer) return report(tracer.error());
  auto bus = connect(options, "collector", *metrics);
  if (!bus) return report(bus.error());
  auto store = persistence::make_postgres_reader({.url = options.postgres_url, .connections = 1});
  auto collector = persistence::start_collector(
      *bus->bus, *metrics, {.postgres_url = options.postgres_url, .keep_days = options.keep_days, .tracer = *tracer});
  const SystemClock clock;
  auto lookups =
      persistence::serve_lookups(*bus->bus, clock, {.postgres_url = options.postgres_url});
  if (!lookups) return report(lookups.error());
  persistence::ReaperOptions reaping;
  reaping.postgres_url = options.postgres_url;
  reaping.session_idle = seconds(options.session_idle);
  auto reaper = persistence::start_reaper(*bus->bus, *metrics, clock, std::move(reaping));
  auto endpoint = endpoint_of(options, *metrics, [&]() -> Result<void> {
    if (auto answers = bus_ready(*bus->bus); !answers) return answers;
    return store->ping();
  });
  if (!endpoint) return report(endpoint.error());
  signals.wait();
  spdlog::info("draining");
  // First, so that another one is elected while this one flushes.
  reaper.reset();
  collector->stop();
  spdlog::info("stopped");
  return kExitOk;
}

}  // namespace toolway::cli
