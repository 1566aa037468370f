#pragma once

#include <array>
#include <map>
#include <string>

#include "gateway/admission/bus_facts.h"
#include "monitoring/metrics.h"

namespace toolway::gateway::admission {

/// Shows what is known of queues and streams. On the io_context's thread.
class QueueMetrics {
 public:
  explicit QueueMetrics(monitoring::Metrics& metrics) : metrics_(metrics) {}
  void show(const BusFacts& facts);

 private:
  struct OfPool {
    monitoring::Gauge& pending;
    monitoring::Gauge& held;
    std::array<monitoring::Gauge*, proto::kLanes> oldest;
  };
  OfPool& of_pool(const std::string& pool);

  monitoring::Metrics& metrics_;
  std::map<std::string, OfPool> pools_;  ///< all that ever had a queue: without one they show 0
};

}  // namespace toolway::gateway::admission
