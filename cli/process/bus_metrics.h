#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/mutex.h"
#include "bus/bus.h"
#include "monitoring/metrics.h"

namespace toolway::cli::process {

/// What a process reports about its connections to NATS. Any thread; its Metrics must outlive it.
class BusMetrics {
 public:
  explicit BusMetrics(monitoring::Metrics& metrics);

  static constexpr unsigned kMaxConnections = 64;

  /// For the first time.
  void connected();
  /// `connection`: which one of them, from 0 on.
  void changed(bus::Connection state, unsigned connection = 0);
  /// As bus::PublishWatch says it.
  void published(std::string_view stream, std::chrono::nanoseconds took,
                 const Result<bus::PubAck>& ack);

 private:
  monitoring::Metrics& metrics_;
  monitoring::Gauge& connected_;
  monitoring::Counter& reconnects_;
  Mutex mutex_;
  std::uint64_t lost_ GUARDED_BY(mutex_) = 0;  ///< a bit for each connection
  /// Looked up once: at ten thousand events a second the look-up would show.
  std::array<std::pair<std::string_view, monitoring::Histogram*>, 3> often_{};
};

}  // namespace toolway::cli::process
