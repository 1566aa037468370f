#include "cli/process/bus_metrics.h"

#include "monitoring/metric_names.h"
#include "proto/subjects.h"

namespace toolway::cli::process {

BusMetrics::BusMetrics(monitoring::Metrics& metrics)
    : metrics_(metrics),
      connected_(metrics.gauge(monitoring::kBusConnected)),
      reconnects_(metrics.counter(monitoring::kReconnects)) {
  std::size_t next = 0;
  for (const auto stream : {proto::kEventsStream, proto::kCallsStream, proto::kBlobsStream}) {
    often_[next++] = {stream, &metrics.histogram(monitoring::kPublish, "stream", stream)};
  }
}

void BusMetrics::connected() { connected_.set(1); }

void BusMetrics::changed(bus::Connection state, unsigned connection) {
  const std::uint64_t bit = std::uint64_t{1} << connection;
  const MutexLock lock(mutex_);
  switch (state) {
    case bus::Connection::kConnected:
      reconnects_.add();
      lost_ &= ~bit;
      break;
    case bus::Connection::kDisconnected: lost_ |= bit; break;
    case bus::Connection::kGap: return;
  }
  connected_.set(lost_ == 0);
}

void BusMetrics::published(std::string_view stream, std::chrono::nanoseconds took,
                           const Result<bus::PubAck>& ack) {
  if (!ack) {
    metrics_.counter(monitoring::kPublishErrors, "code", code_name(ack.error().code)).add();
    return;
  }
  for (const auto& [name, histogram] : often_) {
    if (name == stream) return histogram->observe(took);
  }
  if (!stream.empty()) metrics_.histogram(monitoring::kPublish, "stream", stream).observe(took);
}

}  // namespace toolway::cli::process
