#include "persistence/collector/collector_metrics.h"

#include "monitoring/metric_names.h"

namespace toolway::persistence::collector {

CollectorMetrics::CollectorMetrics(monitoring::Metrics& metrics)
    : metrics_(metrics),
      batches_(metrics.counter(monitoring::kBatches)),
      dead_(metrics.counter(monitoring::kDeadEvents)),
      errors_(metrics.counter(monitoring::kStoreErrors)),
      batch_time_(metrics.histogram(monitoring::kBatchTime)) {
  for (const auto source : {Source::kCalls, Source::kEvents, Source::kBlobs, Source::kSessions,
                            Source::kAudit, Source::kApiKeys}) {
    const auto i = static_cast<std::size_t>(source);
    messages_[i] = &metrics.counter(monitoring::kBatchSize, "stream", stream_of(source));
  }
}

void CollectorMetrics::recorded(Source source, std::size_t count) {
  messages_[static_cast<std::size_t>(source)]->add(static_cast<double>(count));
}

void CollectorMetrics::committed(std::chrono::duration<double> time) {
  batches_.add();
  batch_time_.observe(time);
}

void CollectorMetrics::latency(const CompletedCall& call, std::chrono::duration<double> value) {
  auto& instrument = latencies_[call.tool];
  if (instrument == nullptr) {
    instrument = &metrics_.histogram(monitoring::kSubmitToRecorded, "tool", call.tool);
  }
  instrument->observe(value, call.trace);
}

void CollectorMetrics::dead() { dead_.add(); }
void CollectorMetrics::store_error() { errors_.add(); }

}  // namespace toolway::persistence::collector
