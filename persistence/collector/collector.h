#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/clock.h"
#include "bus/bus.h"
#include "monitoring/metrics.h"
#include "monitoring/tracer.h"

namespace toolway::persistence::collector {

/// How long a batch waits for more, at most, where nothing else is configured.
inline constexpr std::chrono::milliseconds kBatchLinger{10};
/// How long the writer pauses after the first failure of Postgres.
inline constexpr std::chrono::milliseconds kFirstRetry{100};

struct CollectorOptions {
  std::string postgres_url;  ///< never logged
  std::size_t batch_size = 2000;
  std::size_t batch_bytes = 8 * 1024 * 1024;  ///< of payload; one message may be more
  std::chrono::milliseconds linger = kBatchLinger;
  std::size_t max_pending = 4000;       ///< asked for and unrecorded, per stream
  std::size_t max_pending_chunks = 32;  ///< the same for BLOBS, whose messages have 256 KiB
  unsigned keep_days = 0;               ///< partitions of earlier days are dropped; 0: never
  std::shared_ptr<monitoring::Tracer> tracer = monitoring::no_tracing();
  const Clock* clock =
      nullptr;  ///< that the fleet follows; must outlive the collector. Null: the system's
};

/// Pulls CALLS, EVENTS, BLOBS, AUDIT and the sessions bucket, writes them to Postgres in
/// batched transactions, acks after COMMIT. Runs until destroyed; `stop`
/// flushes what it holds. The bus and the metrics must outlive it.
class Collector {
 public:
  virtual ~Collector() = default;
  virtual void stop() = 0;
};

std::unique_ptr<Collector> start_collector(bus::Bus& bus, monitoring::Metrics& metrics,
                                           CollectorOptions options);

}  // namespace toolway::persistence::collector
