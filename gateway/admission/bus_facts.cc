#include "gateway/admission/bus_facts.h"

#include <algorithm>

namespace toolway::gateway::admission {

const std::vector<QueueFacts>* BusFacts::queues_of(std::string_view pool) const {
  const auto found = pools.find(pool);
  return found == pools.end() ? nullptr : &found->second;
}

std::uint64_t BusFacts::waiting_in(std::string_view pool) const {
  std::uint64_t waiting = 0;
  if (const auto* queues = queues_of(pool)) {
    for (const QueueFacts& queue : *queues) waiting += queue.state.pending;
  }
  return waiting;
}

QueuePlace place_of(const BusFacts& facts, std::string_view pool, proto::Lane wanted,
                    const SessionKey& session) {
  const auto* queues = facts.queues_of(pool);
  if (queues == nullptr || queues->empty()) return {wanted, 0};
  std::vector<unsigned> partitions;
  const auto gather = [&](proto::Lane lane) {
    for (const QueueFacts& queue : *queues) {
      if (queue.lane == lane) partitions.push_back(queue.partition);
    }
  };
  gather(wanted);
  if (partitions.empty()) {
    wanted = wanted == proto::Lane::kNormal ? proto::Lane::kBulk : proto::Lane::kNormal;
    gather(wanted);
  }
  std::sort(partitions.begin(), partitions.end());
  return {wanted, partitions[session.shard_number() % partitions.size()]};
}

double drain_rate(const bus::ConsumerState& before, const bus::ConsumerState& after,
                  std::uint64_t stream_end, std::chrono::duration<double> between) {
  if (after.delivered <= before.delivered || between.count() <= 0) return 0;
  const double moved = static_cast<double>(after.delivered - before.delivered);
  const std::uint64_t rest = stream_end > after.delivered ? stream_end - after.delivered : 0;
  const double own =
      rest == 0 || after.pending == 0
          ? 1.0
          : std::min(1.0, static_cast<double>(after.pending) / static_cast<double>(rest));
  return moved * own / between.count();
}

}  // namespace toolway::gateway::admission
