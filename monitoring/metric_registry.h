#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "monitoring/instruments.h"
#include "monitoring/metric_table.h"
#include "monitoring/metrics.h"

namespace toolway::monitoring {

/// The labels of a series, by name.
struct SeriesLabels {
  std::vector<std::pair<std::string, std::string>> values;
  std::string text;  ///< `pool="native",tool="a.b"`: as both text formats write them
};

/// A metric with all of its series at one moment. The labels live as long as the registry.
struct FamilySnapshot {
  struct Scalar {
    const SeriesLabels* labels;
    double value;
  };
  struct OfHistogram {
    const SeriesLabels* labels;
    HistogramValues values;
  };
  const MetricDescription* about;
  std::vector<Scalar> scalars;  ///< of a counter or a gauge
  std::vector<OfHistogram> histograms;
};
using MetricSnapshot = std::vector<FamilySnapshot>;

/// How many series a metric may have. Above it label values become `other`, and
/// toolway_series_over_bound_total says so: a mistake in labels costs neither us nor Prometheus its memory.
struct SeriesBounds {
  std::size_t values_per_label = 2000;
  std::size_t series_per_metric = 20'000;
};

/// The metrics of a process, for whoever sends them elsewhere. Thread-safe; a scrape or a snapshot holds up
/// nobody who observes or looks up an instrument.
class MetricRegistry : public Metrics {
 public:
  /// In the order of metric_table.h; metrics that nobody has used are left out. Reads the process's own
  /// metrics (CPU, memory, descriptors) from /proc first.
  virtual MetricSnapshot snapshot() = 0;
};

/// As make_metrics.
std::unique_ptr<MetricRegistry> make_registry(std::string_view process, SeriesBounds bounds = {});

}  // namespace toolway::monitoring
