#pragma once

#include <array>
#include <thread>

#include "base/clock.h"
#include "bus/unrecorded.h"
#include "monitoring/metrics.h"
#include "persistence/collector/row_batch.h"

namespace toolway::persistence::collector {

/// Shows how far the collectors lag each stream: asks the bus, at once and then every 5 s, so
/// that it is also shown while nothing is recorded. On a thread of its own until destroyed; bus,
/// metrics and clock must outlive it. Without an answer, the last values stay.
class LagWatch {
 public:
  LagWatch(bus::StreamReader& bus, monitoring::Metrics& metrics, const Clock& clock);

 private:
  struct Shown {
    Source source;
    monitoring::Gauge& messages;
    monitoring::Gauge& seconds;
    bus::RecordingMeter meter;
  };
  void run(const std::stop_token& stop);
  static void measure(Shown& stream);

  static constexpr std::chrono::seconds kMeasureInterval{5};
  std::array<Shown, kSources> streams_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace toolway::persistence::collector
