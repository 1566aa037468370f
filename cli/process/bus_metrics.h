#pragma once

#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "bus/bus.h"
#include "monitoring/metrics.h"

namespace toolway::cli::process {

/// What a process reports about its connection to NATS. Any thread; its Metrics must outlive it.
class BusMetrics {
 public:
  explicit BusMetrics(monitoring::Metrics& metrics);

  /// For the first time.
  void connected();
  void changed(bus::Connection state);
  /// As bus::PublishWatch says it.
  void published(std::string_view stream, std::chrono::nanoseconds took,
                 const Result<bus::PubAck>& ack);

 private:
  monitoring::Metrics& metrics_;
  monitoring::Gauge& connected_;
  monitoring::Counter& reconnects_;
  /// Looked up once: at ten thousand events a second the look-up would show.
  std::array<std::pair<std::string_view, monitoring::Histogram*>, 3> often_{};
};

}  // namespace toolway::cli::process
