#include "monitoring/series_bound.h"

namespace toolway::monitoring {

bool SeriesBound::fold(LabelList& labels, std::size_t series) {
  constexpr std::string_view kOther = "other";
  const bool full = series >= bounds_.series_per_metric;
  bool folded = false;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    auto& values = values_[i];
    const std::string value(labels[i].second);
    if (!full && (values.contains(value) || values.size() < bounds_.values_per_label)) {
      values.insert(value);
      continue;
    }
    labels[i].second = kOther;
    folded = true;
  }
  return folded;
}

}  // namespace toolway::monitoring
