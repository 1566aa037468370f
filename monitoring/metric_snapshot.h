#pragma once

#include <prometheus/metric_family.h>

#include <vector>

#include "monitoring/exemplars.h"

namespace toolway::monitoring {

/// The metrics of a process at one moment. A value.
struct MetricSnapshot {
  std::vector<prometheus::MetricFamily> families;
  Exemplars exemplars;
};

}  // namespace toolway::monitoring
