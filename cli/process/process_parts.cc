#include "cli/process/process_parts.h"

#include <spdlog/spdlog.h>

#include "bus/jetstream_bus.h"
#include "cli/process/bus_metrics.h"
#include "cli/process/files.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli {

int report(const Error& error) {
  spdlog::error("{}", error.message);
  return exit_code(error.code);
}

Result<CountedBus> connect(const ProcessOptions& options, const std::string& process,
                           monitoring::Metrics& metrics) {
  const auto told = std::make_shared<BusMetrics>(metrics);
  bus::JetStreamOptions jetstream{.url = options.nats, .name = "toolway-" + process};
  jetstream.on_published = [told](std::string_view stream, std::chrono::nanoseconds took,
                                  const auto& ack) { told->published(stream, took, ack); };
  auto connected = bus::connect_jetstream(std::move(jetstream));
  if (!connected) return fail(connected.error());
  told->connected();
  CountedBus result{.bus = std::move(*connected), .counting = nullptr};
  result.counting =
      result.bus->on_connection([told](bus::Connection state) { told->changed(state); });
  return result;
}

Result<void> say_ready(const ProcessOptions& options, const std::string& host, std::uint16_t port) {
  const auto url = "http://" + HostPort{.host = host, .port = port}.text();
  spdlog::info("ready, listening on {}", url);
  if (options.ready_file.empty()) return {};
  return write_whole_file(options.ready_file, to_text(OrderedJson{{"http", url}}) + "\n");
}

Result<std::unique_ptr<monitoring::HttpEndpoint>> endpoint_of(const ProcessOptions& options,
                                                              monitoring::Metrics& metrics,
                                                              std::function<Result<void>()> ready) {
  auto where = parse_host_port(options.metrics);
  if (!where) return fail(where.error());
  auto endpoint = monitoring::start_http_endpoint(
      {.host = where->host,
       .port = where->port,
       .metrics = [&metrics](auto format) { return metrics.scrape(format); },
       .ready = std::move(ready)});
  if (!endpoint) return fail(endpoint.error());
  if (auto said = say_ready(options, where->host, (*endpoint)->port()); !said)
    return fail(said.error());
  return endpoint;
}

}  // namespace toolway::cli
