#include "gateway/services.h"

#include "monitoring/metric_names.h"

namespace toolway::gateway {
namespace {

/// Followers that read the record at once: enough to keep the store busy, few enough to leave
/// it to the other requests as well.
constexpr std::size_t kReaders = 64;

}  // namespace

Services::Services(bus::Bus& raw_bus, persistence::StoreReader& raw_store,
                   const tools::LiveRegistry& tools, monitoring::Metrics& metrics_in,
                   const Clock& clock_in, const GatewayOptions& options_in, asio::io_context& io)
    : options(options_in),
      registry(tools),
      metrics(metrics_in),
      clock(clock_in),
      executor(io.get_executor()),
      inbox(std::make_shared<LoopInbox>(io)),
      bus(raw_bus, inbox),
      store(raw_store, inbox, options_in.store_threads),
      sessions(raw_bus, bus, inbox, metrics_in, clock_in, {.idle = options_in.session_idle}),
      specs(bus),
      live(raw_bus, inbox),
      readers(executor, kReaders),
      switches(raw_bus),
      tools_view(tools, [this] { return switches.now(); }),
      bus_watch(bus, clock_in, metrics_in, options_in.guard, executor),
      workers(raw_bus, inbox, clock_in),
      scraper(metrics_in, inbox),
      gaps_filled(metrics_in.counter(monitoring::kGapsFilled)),
      followers(metrics_in.gauge(monitoring::kFollowers)),
      in_flight(metrics_in.gauge(monitoring::kRequestsInFlight)) {
  for (std::size_t i = 0; i < kRoutes; ++i) {
    by_route_[i] = &metrics.histogram(monitoring::kHttpRequest, "route",
                                      route_name(static_cast<Route>(i)));
  }
}

void Services::count_refused(ErrorCode code) {
  metrics.counter(monitoring::kCallsRefused, "code", code_name(code)).add();
}

void Services::count_accepted(const v1::CallRequest& call) {
  const std::string name = call.labels().namespace_() + "." + call.labels().tool();
  auto& counter = accepted_[name];
  if (counter == nullptr) {
    counter = &metrics.counter(monitoring::kCallsAccepted,
                               monitoring::CallKey{.tool = name, .pool = call.pool()});
  }
  counter->add();
}

void Services::count_publish_error(ErrorCode code) {
  metrics.counter(monitoring::kPublishErrors, "code", code_name(code)).add();
}

void Services::ended(Route route, std::chrono::steady_clock::duration took, const TraceContext& trace) {
  by_route_[static_cast<std::size_t>(route)]->observe(took, trace);
}

}  // namespace toolway::gateway
