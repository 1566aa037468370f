#pragma once

#include <array>
#include <string>
#include <unordered_set>

#include "monitoring/label_list.h"
#include "monitoring/metric_registry.h"

namespace toolway::monitoring {

/// Decides which labels a new series of one metric gets. Not thread-safe.
class SeriesBound {
 public:
  explicit SeriesBound(SeriesBounds bounds) : bounds_(bounds) {}

  /// Replaces each value that is one too many by `other`; all values when the metric already has
  /// its number of `series`. Returns whether it replaced any.
  bool fold(LabelList& labels, std::size_t series);

 private:
  SeriesBounds bounds_;
  std::array<std::unordered_set<std::string>, LabelList::kMaxLabels>
      values_;  ///< seen, by place of the label
};

}  // namespace toolway::monitoring
