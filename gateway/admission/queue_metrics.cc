#include "gateway/admission/queue_metrics.h"

#include <algorithm>
#include <limits>

#include "monitoring/metric_names.h"

namespace toolway::gateway::admission {

void QueueMetrics::show(const BusFacts& facts) {
  for (const auto& [pool, queues] : facts.pools) of_pool(pool);
  for (auto& [pool, gauges] : pools_) {
    std::uint64_t pending = 0;
    std::uint64_t held = 0;
    std::array<std::chrono::duration<double>, proto::kLanes> oldest{};
    if (const auto* queues = facts.queues_of(pool)) {
      for (const QueueFacts& queue : *queues) {
        pending += queue.state.pending;
        held += queue.state.ack_pending;
        auto& of_lane = oldest[static_cast<std::size_t>(queue.lane)];
        of_lane = std::max<std::chrono::duration<double>>(of_lane, queue.oldest);
      }
    }
    gauges.pending.set(static_cast<double>(pending));
    gauges.held.set(static_cast<double>(held));
    for (std::size_t lane = 0; lane < oldest.size(); ++lane)
      gauges.oldest[lane]->set(oldest[lane].count());
  }
  for (const auto& [stream, state] : facts.streams) {
    metrics_.gauge(monitoring::kStreamMessages, "stream", stream)
        .set(static_cast<double>(state.messages));
    metrics_.gauge(monitoring::kStreamBytes, "stream", stream)
        .set(static_cast<double>(state.bytes));
    // So that a stream without a limit shows 0 as the part in use.
    metrics_.gauge(monitoring::kStreamLimit, "stream", stream)
        .set(state.max_bytes < 0 ? std::numeric_limits<double>::infinity()
                                 : static_cast<double>(state.max_bytes));
  }
}

QueueMetrics::OfPool& QueueMetrics::of_pool(const std::string& pool) {
  const auto found = pools_.find(pool);
  if (found != pools_.end()) return found->second;
  auto& pending = metrics_.gauge(monitoring::kQueueDepth, {{"pool", pool}, {"state", "pending"}});
  auto& held = metrics_.gauge(monitoring::kQueueDepth, {{"pool", pool}, {"state", "held"}});
  const auto oldest = [&](proto::Lane lane) {
    return &metrics_.gauge(monitoring::kQueueOldest,
                           {{"pool", pool}, {"lane", proto::lane_name(lane)}});
  };
  return pools_
      .emplace(pool,
               OfPool{pending, held, {oldest(proto::Lane::kNormal), oldest(proto::Lane::kBulk)}})
      .first->second;
}

}  // namespace toolway::gateway::admission
