#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "monitoring/metrics.h"

namespace toolway::monitoring {

struct MetricSnapshot;

/// How many series a metric may have. Above it label values become `other`, and
/// toolway_series_over_bound_total counts it: a mistake in labels exhausts neither our memory nor
/// Prometheus'. Threads that add the last series at the same moment may add one each.
struct SeriesBounds {
  std::size_t values_per_label = 2000;
  std::size_t series_per_metric = 20'000;
};

/// The metrics of a process, for what sends them elsewhere. Thread-safe. A scrape or a snapshot
/// delays no observation and no look-up of a series that exists; a new series waits until its
/// metric is copied.
class MetricRegistry : public Metrics {
 public:
  /// In the order of metric_table.h, without the metrics that were never used. Reads the process's
  /// own (CPU, memory, descriptors) from /proc.
  virtual MetricSnapshot snapshot() = 0;
};

/// As make_metrics.
std::unique_ptr<MetricRegistry> make_registry(std::string_view process, SeriesBounds bounds = {});

}  // namespace toolway::monitoring
