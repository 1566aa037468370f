#pragma once

#include <span>
#include <string_view>

#include "monitoring/metric_names.h"

namespace toolway::monitoring {

struct MetricDescription {
  template <MetricType kType, MetricSource kFrom, MetricUnit kIn>
  constexpr MetricDescription(MetricName<kType, kFrom, kIn> of, std::string_view label_names,
                              std::string_view meaning)
      : name(of.text()),
        type(kType),
        source(kFrom),
        unit(kIn),
        labels(label_names),
        help(meaning) {}

  std::string_view name;
  MetricType type;
  MetricSource source;
  MetricUnit unit;          ///< of a histogram
  std::string_view labels;  ///< names, separated by commas; each has a bounded number of values
  std::string_view help;
};

/// Every metric Toolway exports, in the order of the documentation.
std::span<const MetricDescription> metric_table();

}  // namespace toolway::monitoring
