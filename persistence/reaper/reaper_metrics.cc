#include "persistence/reaper/reaper_metrics.h"

#include "monitoring/metric_names.h"

namespace toolway::persistence {

ReaperMetrics::ReaperMetrics(monitoring::Metrics& metrics)
    : metrics_(metrics),
      leader_(metrics.gauge(monitoring::kReaperLeader)),
      watched_(metrics.gauge(monitoring::kReaperWatched)),
      oldest_(metrics.gauge(monitoring::kReaperOldest)) {}

void ReaperMetrics::leading(bool leads) { leader_.set(leads ? 1 : 0); }

void ReaperMetrics::acted(std::string_view action) {
  metrics_.counter(monitoring::kReaped, "action", action).add();
}

void ReaperMetrics::watched(std::size_t calls, std::optional<WallTime> oldest, WallTime now) {
  watched_.set(static_cast<double>(calls));
  oldest_.set(oldest ? std::chrono::duration<double>(now - *oldest).count() : 0);
}

}  // namespace toolway::persistence
