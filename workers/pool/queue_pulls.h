#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "workers/pool/slots.h"

namespace toolway::workers::pool {

/// The queues of a worker's pool, and what it pulls from them. Thread-safe; what the bus answers
/// and delivers is taken inside the gate.
class QueuePulls {
 public:
  /// Given what was pulled and the number of its queue; on the bus's threads, without a lock.
  using Received = std::function<void(std::size_t queue, bus::Delivery delivery)>;
  QueuePulls(std::shared_ptr<call::WorkerContext> context, Slots& slots, Received received);

  /// Asks the bus which queues there are.
  void list();
  /// Pulls from those that have appeared in its last answer, and no longer from those that are
  /// gone.
  void follow();
  /// Also asks for the first calls.
  void pull(const std::string& durable, proto::Lane lane);
  /// Asks the queues for calls.
  void ask(const Slots::Asks& asks);
  /// Takes back what queues were asked for and should not keep. Call every second.
  void withdraw();

  /// Nothing is pulled any more.
  void stop();
  /// Lets go of the queues, once the gate is closed.
  void end();

 private:
  const std::shared_ptr<call::WorkerContext> context_;
  Slots& slots_;
  const Received received_;
  /// By the number of their queue; those of queues that are gone are stopped, but stay.
  std::vector<std::shared_ptr<bus::PullConsumer>> consumers_ GUARDED_BY(slots_.mutex);
  std::set<std::string> pulled_ GUARDED_BY(slots_.mutex);  ///< durables
  std::optional<std::vector<std::string>> listed_
      GUARDED_BY(slots_.mutex);  ///< durables of all pools, when they were listed again
};

}  // namespace toolway::workers::pool
