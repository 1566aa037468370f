#pragma once

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <unordered_map>

#include "monitoring/metrics.h"
#include "persistence/collector/row_batch.h"

namespace toolway::persistence::collector {

/// The collector's instruments, looked up once: at ten thousand calls a second
/// the look-up would show. Of the writer thread.
class CollectorMetrics {
 public:
  explicit CollectorMetrics(monitoring::Metrics& metrics);

  /// `count` messages of a stream are recorded.
  void recorded(Source source, std::size_t count);
  void committed(std::chrono::duration<double> time);
  void latency(const CompletedCall& call, std::chrono::duration<double> value);
  void dead();
  void store_error();

 private:
  monitoring::Metrics& metrics_;
  std::array<monitoring::Counter*, kSources> messages_{};
  monitoring::Counter& batches_;
  monitoring::Counter& dead_;
  monitoring::Counter& errors_;
  monitoring::Histogram& batch_time_;
  std::unordered_map<std::string, monitoring::Histogram*> latencies_;
};

}  // namespace toolway::persistence::collector
