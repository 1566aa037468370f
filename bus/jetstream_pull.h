#pragma once

#include <memory>

#include "base/mutex.h"
#include "bus/bus.h"
#include "bus/nats_connection.h"
#include "bus/pull_ledger.h"

namespace toolway::bus {

/// The pull client over nats.c: one subscription for its whole life, a
/// `PullLedger` that decides when to ask. Shared with its bus, which ticks it.
class JetStreamPull : public std::enable_shared_from_this<JetStreamPull> {
 public:
  JetStreamPull(Puller& bus, NatsConnection& connection, Durable durable, DeliveryHandler handler);

  Result<void> start();
  void allow(std::size_t count);
  std::size_t withdraw(std::size_t count);
  void stop();
  /// Gives back what still comes (2 s at most), and returns once no handler runs.
  void close();
  void tick();
  void reconnected();

 private:
  void received(NatsMessage message);
  void ended(const NatsMessage& message, std::string_view status);
  void ask();

  Puller& bus_;
  NatsConnection& connection_;
  const Durable durable_;
  const DeliveryHandler handler_;
  const std::string inbox_;  // with its trailing dot
  const std::string request_subject_;
  Mutex mutex_;
  PullLedger ledger_ GUARDED_BY(mutex_);
  bool stopped_ GUARDED_BY(mutex_) = false;
  std::unique_ptr<DrainableSubscription> subscription_;
};

}  // namespace toolway::bus
