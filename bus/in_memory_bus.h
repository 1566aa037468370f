#pragma once

#include <memory>

#include "bus/bus.h"

namespace toolway::bus {

struct InMemoryOptions {
  std::chrono::milliseconds ack_wait{30000};
};

/// The twin of `JetStreamBus` for tests: same contract, one thread of its own
/// for handlers, nothing stored beyond its life.
class InMemoryBus : public Bus {
 public:
  /// Closes the connection as a network fault would: publications and reads
  /// fail with kBusUnavailable, nothing is delivered, until it is restored.
  virtual void disconnect() = 0;
  virtual void reconnect() = 0;
  /// Delivers again at once what was delivered and not acknowledged, as after ack_wait.
  virtual void expire_deliveries() = 0;
  /// Waits until no handler runs or waits to run.
  virtual void quiesce() = 0;
};

std::unique_ptr<InMemoryBus> make_in_memory_bus(InMemoryOptions options = {});

}  // namespace toolway::bus
