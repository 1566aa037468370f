#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <string>
#include <string_view>
#include <vector>

namespace toolway::monitoring {

/// Build info, and what the kernel says about this process at the moment of a scrape. Thread-safe.
class ProcessCollectable final : public prometheus::Collectable {
 public:
  /// `process`: gateway, worker or collector.
  explicit ProcessCollectable(std::string_view process) : process_(process) {}

  /// Where there is no /proc: build info alone.
  std::vector<prometheus::MetricFamily> Collect() const override;

  /// Whether the metric comes from here: no instrument may have that name.
  static bool provides(std::string_view name);

 private:
  const std::string process_;
};

}  // namespace toolway::monitoring
