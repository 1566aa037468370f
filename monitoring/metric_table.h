#pragma once

#include <span>
#include <string_view>

namespace toolway::monitoring {

enum class MetricType { kCounter, kGauge, kHistogram };

struct MetricDescription {
  std::string_view name;
  MetricType type;
  std::string_view
      labels;  ///< their names, separated by commas; each of a bounded number of values
  std::string_view help;
};

/// Every metric Toolway exports, in the order of the documentation.
std::span<const MetricDescription> metric_table();

}  // namespace toolway::monitoring
