#include "gateway/queue_metrics.h"

#include <algorithm>
#include <limits>

#include "monitoring/metric_names.h"

namespace toolway::gateway {

void QueueMetrics::show(const BusFacts& facts) {
  for (const auto& [pool, queues] : facts.pools) of_pool(pool);
  for (auto& [pool, gauges] : pools_) {
    std::uint64_t pending = 0;
    std::uint64_t held = 0;
    std::chrono::duration<double> oldest{0};
    if (const auto* queues = facts.queues_of(pool)) {
      for (const QueueFacts& queue : *queues) {
        pending += queue.state.pending;
        held += queue.state.ack_pending;
        oldest = std::max<std::chrono::duration<double>>(oldest, queue.oldest);
      }
    }
    gauges.pending.set(static_cast<double>(pending));
    gauges.held.set(static_cast<double>(held));
    gauges.oldest.set(oldest.count());
  }
  for (const auto& [stream, state] : facts.streams) {
    metrics_.gauge(monitoring::kStreamMessages, "stream", stream).set(static_cast<double>(state.messages));
    metrics_.gauge(monitoring::kStreamBytes, "stream", stream).set(static_cast<double>(state.bytes));
    // So that the part in use of a stream without a limit is 0.
    metrics_.gauge(monitoring::kStreamLimit, "stream", stream)
        .set(state.max_bytes < 0 ? std::numeric_limits<double>::infinity() : static_cast<double>(state.max_bytes));
  }
}

QueueMetrics::OfPool& QueueMetrics::of_pool(const std::string& pool) {
  const auto found = pools_.find(pool);
  if (found != pools_.end()) return found->second;
  auto& pending = metrics_.gauge(monitoring::kQueueDepth, {{"pool", pool}, {"state", "pending"}});
  auto& held = metrics_.gauge(monitoring::kQueueDepth, {{"pool", pool}, {"state", "held"}});
  auto& oldest = metrics_.gauge(monitoring::kQueueOldest, "pool", pool);
  return pools_.emplace(pool, OfPool{pending, held, oldest}).first->second;
}

}  // namespace toolway::gateway
