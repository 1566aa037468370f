#pragma once

#include <prometheus/serializer.h>

#include <iosfwd>
#include <string>
#include <vector>

#include "monitoring/exemplars.h"
#include "monitoring/metrics.h"

namespace toolway::monitoring {

/// Writes counters, gauges and histograms as Prometheus' text format 0.0.4 or as OpenMetrics 1.0.0
/// (https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md); leaves out
/// other types, which Toolway does not have. Pure.
///
/// Writes bucket bounds the same way in both (`1.0`, never `1`), so that a rule that names one
/// finds it whichever format was asked for. prometheus::TextSerializer writes 0.0005 as
/// 0.00050000000000000001, knows neither OpenMetrics nor exemplars, and takes several times as
/// long.
class ExpositionSerializer final : public prometheus::Serializer {
 public:
  /// `exemplars` are for OpenMetrics only, and must outlive it.
  ExpositionSerializer(Exposition format, const Exemplars& exemplars)
      : format_(format), exemplars_(exemplars) {}

  std::string Serialize(const std::vector<prometheus::MetricFamily>& families) const override;
  void Serialize(std::ostream& out,
                 const std::vector<prometheus::MetricFamily>& families) const override;

 private:
  const Exposition format_;
  const Exemplars& exemplars_;
};

}  // namespace toolway::monitoring
