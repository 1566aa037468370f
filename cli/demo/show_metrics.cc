#include "cli/demo/show_metrics.h"

#include <fmt/format.h>

#include "cli/demo/metric_sum.h"

namespace toolway::cli::demo {

void show_metrics(Tour& tour, const OrderedJson& urls) {
  tour.heading("One scrape of /metrics of each process");
  const auto figure = [&](const char* role, const char* name, double at_least) {
    const auto url = urls[role][0].get<std::string>();
    auto client = client::HttpClient::create({.url = url.substr(0, url.rfind('/'))});
    const auto answer = client ? (*client)->request("GET", "/metrics") : fail(client.error());
    const double value = answer ? metric_sum(answer->body, name) : -1;
    tour.check(value >= at_least, fmt::format("{:<10} {} = {}", role, name, value));
  };
  figure("gateway", "toolway_calls_accepted_total", 5);
  figure("gateway", "toolway_calls_refused_total", 2);
  figure("gateway", "toolway_sessions_open", 1);
  figure("worker", "toolway_calls_completed_total", 5);
  figure("worker", "toolway_worker_slots", 1);
  figure("collector", "toolway_collector_batches_total", 1);
  figure("collector", "toolway_collector_batch_messages_total", 10);
}

}  // namespace toolway::cli::demo
