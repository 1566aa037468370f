#include "monitoring/prometheus_instruments.h"

#include <algorithm>

namespace toolway::monitoring {
namespace {

/// Clocks of two machines differ, and Prometheus takes a falling sum for a counter that restarted.
double observable(std::chrono::duration<double> value) { return std::max(0.0, value.count()); }

}  // namespace

void PrometheusHistogram::observe(std::chrono::duration<double> value) {
  histogram_.Observe(observable(value));
}

void PrometheusHistogram::observe(std::chrono::duration<double> value, const TraceContext& trace) {
  observe(value);
  if (!trace.sampled || !trace.valid()) return;
  const auto now =
      std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now());
  exemplars_.put(observable(value), trace, now);
}

}  // namespace toolway::monitoring
