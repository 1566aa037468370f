#include "cli/process/processes.h"

#include <spdlog/spdlog.h>

#include <atomic>
#include <cstdlib>
#include <memory>

#include "base/clock.h"
#include "base/log.h"
#include "bus/jetstream_bus.h"
#include "cli/exit_code.h"
#include "cli/process/file_limit.h"
#include "cli/process/files.h"
#include "cli/process/stop_signals.h"
#include "gateway/gateway.h"
#include "monitoring/http_endpoint.h"
#include "monitoring/metric_names.h"
#include "monitoring/metrics.h"
#include "persistence/collector.h"
#include "persistence/migrate.h"
#include "persistence/postgres_reader.h"
#include "tools/builtin/builtin.h"
#include "tools/live_registry.h"
#include "workers/worker.h"

namespace toolway::cli {
namespace {

using std::chrono::seconds;

int report(const Error& error) {
  spdlog::error("{}", error.message);
  return exit_code(error.code);
}

/// The connection to NATS, whose returns are counted.
struct CountedBus {
  std::unique_ptr<bus::Bus> bus;
  std::unique_ptr<bus::Subscription> counting;
};

Result<CountedBus> connect(const ProcessOptions& options, const std::string& process,
                           monitoring::Metrics& metrics) {
  auto connected = bus::connect_jetstream({.url = options.nats, .name = "toolway-" + process});
  if (!connected) return fail(connected.error());
  CountedBus result{.bus = std::move(*connected), .counting = nullptr};
  auto& reconnects = metrics.counter(monitoring::kReconnects);
  result.counting = result.bus->on_connection([&reconnects](bus::Connection connection) {
    if (connection == bus::Connection::kConnected) reconnects.add();
  });
  return result;
}

Result<void> bus_ready(const bus::Bus& bus) {
  if (bus.connection() == bus::Connection::kConnected) return {};
  return fail(ErrorCode::kBusUnavailable, "NATS does not answer");
}

Result<std::shared_ptr<const tools::Registry>> registry_of(const ProcessOptions& options) {
  tools::BuiltinOptions builtin{.root = options.root, .specs = {}};
  if (!options.specs.empty()) builtin.specs = options.specs;
  return tools::builtin_registry(builtin);
}

/// Tells whoever waits for us where we listen.
Result<void> say_ready(const ProcessOptions& options, const std::string& host, std::uint16_t port) {
  const auto url = "http://" + HostPort{.host = host, .port = port}.text();
  spdlog::info("ready, listening on {}", url);
  if (options.ready_file.empty()) return {};
  return write_whole_file(options.ready_file, to_text(OrderedJson{{"http", url}}) + "\n");
}

Result<std::unique_ptr<monitoring::HttpEndpoint>> endpoint_of(
    const ProcessOptions& options, monitoring::Metrics& metrics,
    std::function<Result<void>()> ready) {
  auto where = parse_host_port(options.metrics);
  if (!where) return fail(where.error());
  auto endpoint = monitoring::start_http_endpoint({.host = where->host,
                                                   .port = where->port,
                                                   .metrics = [&metrics] { return metrics.scrape(); },
                                                   .ready = std::move(ready)});
  if (!endpoint) return fail(endpoint.error());
  if (auto said = say_ready(options, where->host, (*endpoint)->port()); !said)
    return fail(said.error());
  return endpoint;
}

}  // namespace

int run_gateway(const ProcessOptions& options) {
  StopSignals signals;
  start_logging("gateway", options.log_level);
  raise_file_limit();
  auto where = parse_host_port(options.http);
  if (!where) return report(where.error());
  auto registry = registry_of(options);
  if (!registry) return report(registry.error());
  auto metrics = monitoring::make_metrics("gateway");
  auto bus = connect(options, "gateway", *metrics);
  if (!bus) return report(bus.error());
  auto store = persistence::make_postgres_reader({.url = options.postgres_url});
  const SystemClock clock;
  const tools::LiveRegistry live(*registry);
  auto gateway = gateway::start_gateway(*bus->bus, *store, live, *metrics, clock,
                                        {.host = where->host, .port = where->port});
  if (!gateway) return report(gateway.error());
  if (auto said = say_ready(options, where->host, (*gateway)->port()); !said)
    return report(said.error());
  signals.wait();
  spdlog::info("draining");
  (*gateway)->drain(seconds(10));
  spdlog::info("stopped");
  return kExitOk;
}

int run_worker(const ProcessOptions& options) {
  StopSignals signals;
  start_logging("worker", options.log_level);
  auto registry = registry_of(options);
  if (!registry) return report(registry.error());
  auto metrics = monitoring::make_metrics("worker");
  auto bus = connect(options, "worker", *metrics);
  if (!bus) return report(bus.error());
  const SystemClock clock;
  std::atomic<bool> unhealthy = false;
  const auto give_up = [&](const std::string& why) {
    spdlog::critical("ending, so that a new process takes over: {}", why);
    unhealthy = true;
    signals.wake();
  };
  auto worker = workers::start_worker(*bus->bus, *metrics, *registry, clock,
                                      {.pool = options.pool, .worker_id = {}, .slots = options.slots,
                                       .on_unhealthy = give_up});
  if (!worker) return report(worker.error());
  auto endpoint = endpoint_of(options, *metrics, [&bus] { return bus_ready(*bus->bus); });
  if (!endpoint) return report(endpoint.error());
  signals.wait();
  spdlog::info("draining");
  (*worker)->drain();
  spdlog::info("stopped");
  if (unhealthy) {
    // Tools hang in threads of their own; they must not meet what main's end destroys.
    spdlog::shutdown();
    std::_Exit(kExitInternal);
  }
  return kExitOk;
}

int run_collector(const ProcessOptions& options) {
  StopSignals signals;
  start_logging("collector", options.log_level);
  auto metrics = monitoring::make_metrics("collector");
  auto bus = connect(options, "collector", *metrics);
  if (!bus) return report(bus.error());
  auto store = persistence::make_postgres_reader({.url = options.postgres_url, .connections = 1});
  auto collector =
      persistence::start_collector(*bus->bus, *metrics, {.postgres_url = options.postgres_url});
  auto endpoint = endpoint_of(options, *metrics, [&]() -> Result<void> {
    if (auto answers = bus_ready(*bus->bus); !answers) return answers;
    return store->ping();
  });
  if (!endpoint) return report(endpoint.error());
  signals.wait();
  spdlog::info("draining");
  collector->stop();
  spdlog::info("stopped");
  return kExitOk;
}

int run_migrate(const ProcessOptions& options) {
  start_logging("migrate", options.log_level);
  auto migrated = persistence::migrate(options.postgres_url);
  if (!migrated) return report(migrated.error());
  for (const auto& name : migrated->applied) spdlog::info("applied {}", name);
  auto bus = bus::connect_jetstream({.url = options.nats, .name = "toolway-migrate"});
  if (!bus) return report(bus.error());
  bus::Layout layout;
  layout.pools = {{.name = "native"}};
  if (auto provisioned = (*bus)->provision(layout); !provisioned) return report(provisioned.error());
  spdlog::info("schema version {}, streams and durables as they should be", migrated->version);
  return kExitOk;
}

}  // namespace toolway::cli
