#include "monitoring/process_collectable.h"

#include <algorithm>

#include "monitoring/metric_names.h"
#include "monitoring/metric_table.h"
#include "monitoring/process_stats.h"

namespace toolway::monitoring {
namespace {

/// A metric of one series.
template <MetricType kType>
prometheus::MetricFamily family_of(MetricName<kType, MetricSource::kCollected> name, double value,
                                   std::vector<prometheus::ClientMetric::Label> labels = {}) {
  const auto about = std::ranges::find(metric_table(), name.text(), &MetricDescription::name);
  prometheus::MetricFamily family{
      .name = std::string(name.text()), .help = std::string(about->help), .type = {}, .metric = {}};
  prometheus::ClientMetric& series = family.metric.emplace_back();
  series.label = std::move(labels);
  if constexpr (kType == MetricType::kCounter) {
    family.type = prometheus::MetricType::Counter;
    series.counter.value = value;
  } else {
    family.type = prometheus::MetricType::Gauge;
    series.gauge.value = value;
  }
  return family;
}

}  // namespace

std::vector<prometheus::MetricFamily> ProcessCollectable::Collect() const {
  std::vector<prometheus::MetricFamily> families;
  families.push_back(
      family_of(kBuildInfo, 1, {{"process", process_}, {"version", TOOLWAY_VERSION}}));
  const auto stats = read_process_stats();
  if (!stats) return families;
  families.push_back(family_of(kProcessCpu, stats->cpu_seconds()));
  families.push_back(family_of(kProcessResident, stats->resident_bytes));
  families.push_back(family_of(kProcessVirtual, stats->virtual_bytes));
  families.push_back(family_of(kProcessFds, stats->open_fds));
  families.push_back(family_of(kProcessMaxFds, stats->max_fds));
  families.push_back(family_of(kProcessThreads, stats->threads));
  families.push_back(family_of(kProcessStart, stats->start_time));
  return families;
}

}  // namespace toolway::monitoring
