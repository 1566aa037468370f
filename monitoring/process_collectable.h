#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <string>
#include <string_view>
#include <vector>

namespace toolway::monitoring {

/// The metrics of the table whose source is kCollected: build info, and what the kernel says about
/// this process at the moment of a scrape. Thread-safe.
class ProcessCollectable final : public prometheus::Collectable {
 public:
  /// `process`: gateway, worker or collector.
  explicit ProcessCollectable(std::string_view process) : process_(process) {}

  /// Where there is no /proc: build info alone.
  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const std::string process_;
};

}  // namespace toolway::monitoring
