#include "bus/in_memory_pulls.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace toolway::bus {
namespace {

bool asks(const PullClient& puller) { return puller.allowed > 0 && !puller.stopped; }

}  // namespace

std::shared_ptr<PullClient> InMemoryPulls::add(Durable durable, DeliveryHandler handler) {
  auto puller = std::make_shared<PullClient>();
  puller->durable = std::move(durable);
  puller->handler = std::move(handler);
  pullers_.push_back(puller);
  return puller;
}

std::size_t InMemoryPulls::waiting(const std::string& durable) const {
  return static_cast<std::size_t>(std::ranges::count_if(pullers_, [&](const auto& puller) {
    return asks(*puller) && puller->durable.name == durable;
  }));
}

std::function<void()> InMemoryPulls::next(MonotonicTime now) {
  for (auto it = pullers_.begin(); it != pullers_.end(); ++it) {
    const auto& puller = *it;
    if (!asks(*puller)) continue;
    auto durable = streams_.find(puller->durable);
    if (!durable) continue;
    (*durable)->expire(now);
    const std::uint64_t sequence = (*durable)->take(now, ack_wait_);
    if (sequence == 0) continue;
    --puller->allowed;
    pullers_.splice(pullers_.end(), pullers_, it);  // the next one's turn
    return task(puller, **durable, sequence);
  }
  return {};
}

std::function<void()> InMemoryPulls::task(const std::shared_ptr<PullClient>& puller,
                                          const InMemoryDurable& durable, std::uint64_t sequence) {
  const StoredMessage& stored = (*streams_.find(puller->durable.stream))->at(sequence);
  auto delivery = std::make_shared<Delivery>(
      bus_, fmt::format("{} {} {}", puller->durable.stream, puller->durable.name, sequence));
  delivery->subject = stored.subject;
  delivery->payload = stored.payload;
  delivery->sequence = sequence;
  delivery->delivery_count = durable.outstanding.at(sequence).deliveries;
  delivery->pending = durable.pending();
  delivery->stored_at = stored.stored_at;
  return [puller, delivery] {
    const bool ran = puller->gate.run([&] { puller->handler(std::move(*delivery)); });
    if (!ran) delivery->nak(std::chrono::milliseconds(0));
  };
}

bool InMemoryPulls::ready(MonotonicTime now) const {
  return std::ranges::any_of(pullers_, [&](const auto& puller) {
    if (!asks(*puller)) return false;
    const auto durable = streams_.find(puller->durable);
    return durable && (*durable)->ready(now);
  });
}

}  // namespace toolway::bus
