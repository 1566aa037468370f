#pragma once

#include <functional>
#include <memory>

#include "bus/messenger.h"
#include "bus/provisioner.h"
#include "bus/publisher.h"
#include "bus/puller.h"
#include "bus/stream_reader.h"

/// JetStream behind five small ports, one for each thing that a process does with it.
/// `JetStreamBus` is the real one, `InMemoryBus` its twin for tests; one contract suite
/// (tests/contract) holds both to the contract stated here.
namespace toolway::bus {

enum class Connection {
  kConnected,
  kDisconnected,
  kGap,  ///< an event, never a state: connected, but live messages were dropped because they were
         ///< read too slowly. Not by the bus, whose server then breaks the connection.
};

/// Every handler runs on the one thread of the bus and must not block; what it throws is logged and
/// dropped (README.md). One given to a call runs once, also at the end of the bus (kShuttingDown).
/// All functions are thread-safe and may be called from a handler.
class Bus : public Publisher,
            public StreamReader,
            public Puller,
            public Messenger,
            public Provisioner {
 public:
  /// Runs `task`, perhaps later, on the bus's thread: what it sends leaves in one write.
  virtual void in_one_turn(std::function<void()> task) { task(); }

  virtual Connection connection() const = 0;
  /// Calls `handler` at each change, after the bus itself has handled it.
  /// After kConnected and kGap live messages may have been missed.
  virtual std::unique_ptr<Subscription> on_connection(std::function<void(Connection)> handler) = 0;
};

}  // namespace toolway::bus
