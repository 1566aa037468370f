#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"
#include "monitoring/metrics.h"

namespace toolway::persistence {

/// The reaper's instruments.
class ReaperMetrics {
 public:
  explicit ReaperMetrics(monitoring::Metrics& metrics);

  void leading(bool leads);
  void acted(std::string_view action);
  void watched(std::size_t calls, std::optional<WallTime> oldest, WallTime now);

 private:
  monitoring::Metrics& metrics_;
  monitoring::Gauge& leader_;
  monitoring::Gauge& watched_;
  monitoring::Gauge& oldest_;
};

}  // namespace toolway::persistence
