#include "cli/process/process_parts.h"

#include <spdlog/spdlog.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/os/file_io.h"
#include "base/try.h"
#include "cli/process/bus_metrics.h"
#include "cli/process/host_port.h"
#include "cli/process/server_urls.h"
#include "cli/terminal/exit_code.h"
#include "monitoring/turn_watch.h"

namespace toolway::cli::process {

void start_log(const ProcessOptions& options, const std::string& process) {
  const bool json = options.log_format == "json";
  start_logging(process, options.log_level, json ? LogFormat::kJson : LogFormat::kText);
}

Result<void> check_services(const std::string& file) {
  if (!file.empty()) RETURN_IF_ERROR(extensions::services::read_known_services_file(file));
  return {};
}

Result<std::shared_ptr<extensions::services::ServiceDesk>> start_services(
    const ProcessOptions& options, const Clock& clock) {
  if (options.webhook_secrets.empty()) return nullptr;
  ASSIGN_OR_RETURN(auto known,
                   extensions::services::read_known_services_file(options.webhook_secrets));
  return extensions::services::ServiceDesk::start(std::move(known), clock);
}

int report(const Error& error) {
  spdlog::error("{}", error.message);
  // What a process is refused, an option or a file asked for.
  const int status = terminal::exit_code(error.code);
  return status == terminal::kExitRefused ? terminal::kExitUsage : status;
}

namespace {

/// Watches the turns that the bus's own thread takes: those of the gateway's are watched there.
bus::Loop::Watch turn_watch(monitoring::Metrics& metrics, unsigned loop) {
  struct Watch {
    Watch(monitoring::Metrics& metrics, unsigned loop) : turns(metrics, clock, loop) {}
    SystemClock clock;
    monitoring::TurnWatch turns;
  };
  const auto watch = std::make_shared<Watch>(metrics, loop);
  return {.begins = [watch] { watch->turns.begins(); }, .ended = [watch] { watch->turns.ended(); }};
}

}  // namespace

/// A fleet starts together: NATS may need some seconds more. A person who forgot it is told after
/// two.
Result<std::unique_ptr<bus::Bus>> connect_patiently(bus::JetStreamOptions jetstream) {
  constexpr std::chrono::milliseconds kUntilSaid{2000};
  constexpr std::chrono::milliseconds kAfterwards{8000};
  const auto where = without_password(jetstream.url);
  const auto no_server = [&](const Error& error) {
    return fmt::format(
        "no NATS server answers at {} ({}): start one, or name yours with --nats or "
        "TOOLWAY_NATS_URL",
        where, error.message);
  };
  jetstream.connect_timeout = kUntilSaid;
  auto bus = bus::connect_jetstream(jetstream);
  if (bus) return bus;
  spdlog::warn("{}; trying for {} s more", no_server(bus.error()), kAfterwards.count() / 1000);
  jetstream.connect_timeout = kAfterwards;
  bus = bus::connect_jetstream(std::move(jetstream));
  if (!bus) return fail(bus.error().code, no_server(bus.error()));
  return bus;
}

Result<CountedBus> connect(const ProcessOptions& options, const std::string& process,
                           monitoring::Metrics& metrics) {
  ASSIGN_OR_RETURN(auto all, connect_each(options, process, metrics, 1));
  return std::move(all.front());
}

Result<std::vector<CountedBus>> connect_each(const ProcessOptions& options,
                                             const std::string& process,
                                             monitoring::Metrics& metrics, unsigned loops) {
  const auto told = std::make_shared<BusMetrics>(metrics);
  std::vector<CountedBus> all(loops);
  for (unsigned loop = 0; loop < loops; ++loop) {
    CountedBus& one = all[loop];
    one.turns = std::make_unique<bus::LoopThread>(turn_watch(metrics, loop));
    bus::JetStreamOptions jetstream{
        .url = options.nats, .name = "toolway-" + process, .turns = one.turns.get()};
    jetstream.group_commit = process == "gateway" || process == "worker";
    jetstream.on_published = [told](std::string_view stream, std::chrono::nanoseconds took,
                                    const auto& ack) { told->published(stream, took, ack); };
    if (loop == 0) spdlog::info("connecting to NATS at {}", without_password(options.nats));
    ASSIGN_OR_RETURN(one.bus, connect_patiently(std::move(jetstream)));
    one.counting =
        one.bus->on_connection([told, loop](bus::Connection state) { told->changed(state, loop); });
  }
  told->connected();
  return all;
}

Result<void> say_ready(const ProcessOptions& options, const std::string& host, std::uint16_t port) {
  const auto url = "http://" + HostPort{.host = host, .port = port}.text();
  spdlog::info("ready, listening on {}", url);
  if (options.ready_file.empty()) return {};
  return os::write_whole_file(options.ready_file, to_text(OrderedJson{{"http", url}}) + "\n");
}

Result<std::unique_ptr<monitoring::HttpEndpoint>> serve_metrics(
    const std::string& where, monitoring::Metrics& metrics, std::function<Result<void>()> ready) {
  ASSIGN_OR_RETURN(auto address, parse_host_port(where));
  return monitoring::start_http_endpoint(
      {.host = address.host,
       .port = address.port,
       .metrics = [&metrics](auto format) { return metrics.scrape(format); },
       .ready = std::move(ready)});
}

Result<std::unique_ptr<monitoring::HttpEndpoint>> endpoint_of(const ProcessOptions& options,
                                                              monitoring::Metrics& metrics,
                                                              std::function<Result<void>()> ready) {
  ASSIGN_OR_RETURN(auto where, parse_host_port(options.metrics));
  auto endpoint = serve_metrics(options.metrics, metrics, std::move(ready));
  RETURN_IF_ERROR(endpoint);
  RETURN_IF_ERROR(say_ready(options, where.host, (*endpoint)->port()));
  return endpoint;
}

}  // namespace toolway::cli::process
