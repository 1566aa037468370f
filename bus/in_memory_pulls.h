#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "bus/bus.h"
#include "bus/in_memory_clients.h"
#include "bus/in_memory_streams.h"

namespace toolway::bus {

/// The pull clients of an in-memory bus, and which of them gets what next. Guarded by the bus's
/// mutex; handlers run as tasks, without it.
class InMemoryPulls {
 public:
  /// `bus` settles what is delivered.
  InMemoryPulls(Bus& bus, InMemoryStreams& streams, std::chrono::milliseconds ack_wait)
      : bus_(bus), streams_(streams), ack_wait_(ack_wait) {}

  std::shared_ptr<PullClient> add(Durable durable, DeliveryHandler handler);
  void remove(const std::shared_ptr<PullClient>& puller) { pullers_.remove(puller); }

  /// How many wait for messages of a durable.
  std::size_t waiting(const std::string& durable) const;
  /// Takes one message that a puller may have; an empty task: there is none.
  std::function<void()> next(MonotonicTime now);
  /// Whether `next` has a task.
  bool ready(MonotonicTime now) const;

 private:
  std::function<void()> task(const std::shared_ptr<PullClient>& puller,
                             const InMemoryDurable& durable, std::uint64_t sequence);

  Bus& bus_;
  InMemoryStreams& streams_;
  const std::chrono::milliseconds ack_wait_;
  std::list<std::shared_ptr<PullClient>> pullers_;  ///< the one that got a message last is last
};

}  // namespace toolway::bus
