#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bus/bus.h"
#include "bus/jetstream_bus.h"
#include "bus/loop_thread.h"
#include "cli/process/process_options.h"
#include "extensions/services/service_desk.h"
#include "monitoring/http_endpoint.h"
#include "monitoring/metrics.h"

/// What the processes of a fleet have in common.
namespace toolway::cli::process {

/// The log of this process, as its options say.
void start_log(const ProcessOptions& options, const std::string& process);

/// Whether a file of services can be used; empty: there is none. Needs no server. Errors: as
/// `read_known_services_file`.
Result<void> check_services(const std::string& file);
/// What asks services about calls. Null: the options name none. Errors: also kInternal.
Result<std::shared_ptr<extensions::services::ServiceDesk>> start_services(
    const ProcessOptions& options, const Clock& clock);

/// Logs an error that ends the process; returns its exit status.
int report(const Error& error);

/// A connection to NATS, which a fleet may start some seconds after this process. Errors:
/// kBusUnavailable, which names the server without its password.
Result<std::unique_ptr<bus::Bus>> connect_patiently(bus::JetStreamOptions jetstream);

/// The connection to NATS, which the metrics report (bus_metrics.h).
struct CountedBus {
  std::unique_ptr<bus::LoopThread> turns;
  std::unique_ptr<bus::Bus> bus;
  std::unique_ptr<bus::Subscription> counting;
};
Result<CountedBus> connect(const ProcessOptions& options, const std::string& process,
                           monitoring::Metrics& metrics);
/// One for each loop of a process.
Result<std::vector<CountedBus>> connect_each(const ProcessOptions& options,
                                             const std::string& process,
                                             monitoring::Metrics& metrics, unsigned loops);

/// Tells those who wait for us where we listen.
Result<void> say_ready(const ProcessOptions& options, const std::string& host, std::uint16_t port);

/// Serves /metrics and /readyz on `where`, HOST:PORT.
Result<std::unique_ptr<monitoring::HttpEndpoint>> serve_metrics(
    const std::string& where, monitoring::Metrics& metrics, std::function<Result<void>()> ready);

/// The same of a process that has no other HTTP server, which is ready then.
Result<std::unique_ptr<monitoring::HttpEndpoint>> endpoint_of(const ProcessOptions& options,
                                                              monitoring::Metrics& metrics,
                                                              std::function<Result<void>()> ready);

}  // namespace toolway::cli::process
