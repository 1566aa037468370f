#pragma once

#include <string>
#include <vector>

#include "monitoring/metric_snapshot.h"
#include "monitoring/otlp/otlp.h"

namespace toolway::monitoring::otlp {

/// From when to when the values of a snapshot were gathered: cumulative ones count from `start`.
struct MetricPeriod {
  WallTime start;
  WallTime now;
};

/// The bodies of requests to `/v1/metrics` (ExportMetricsServiceRequest), each with at most
/// `points` data points, since receivers bound what they read. Names are Prometheus', whose own
/// receiver leaves them as they are; counters are cumulative monotonic sums, histograms have
/// explicit bounds and exemplars.
std::vector<std::string> metrics_json(const NamedTexts& resource, const MetricSnapshot& snapshot,
                                      const MetricPeriod& period, std::size_t points = 2000);

}  // namespace toolway::monitoring::otlp
