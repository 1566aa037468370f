#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "bus/stream_reader.h"

namespace toolway::bus {

enum class SettleKind {
  kAck,         ///< done: never deliver again
  kNak,         ///< deliver again after the delay
  kInProgress,  ///< still working on it: the ack_wait starts again
  kTerm,        ///< never deliver again, although it was not processed
};
struct Settlement {
  SettleKind kind = SettleKind::kAck;
  std::chrono::milliseconds delay{0};  ///< of a kNak
};

class Puller;

/// One message pulled from a durable. Settle it with ack, nak or term; until
/// then it comes again after ack_wait. Move-only; safe to settle from any
/// thread; must not outlive its bus. Acks are not confirmed (they may be lost:
/// the message then comes again).
class Delivery {
 public:
  Delivery(Puller& bus, std::string reply) : bus_(&bus), reply_(std::move(reply)) {}
  Delivery(Delivery&&) = default;
  Delivery& operator=(Delivery&&) = default;

  void ack();
  void nak(std::chrono::milliseconds delay);
  void in_progress();
  void term();
  /// As `how` says. Does nothing to what was moved from.
  void settle(Settlement how);

  std::string subject;
  std::string payload;
  std::uint64_t sequence = 0;        ///< in the stream
  std::uint64_t delivery_count = 1;  ///< 1 for the first; do not use it as the attempt number
  std::uint64_t pending = 0;         ///< matching messages after this one
  WallTime stored_at{};

 private:
  Puller* bus_;
  std::string reply_;
};

using DeliveryHandler = std::function<void(Delivery)>;

/// A pull client. Its destructor stops it, gives back what the server has sent but no handler has
/// seen, and returns once no handler runs: within 2 s, when the bus does not answer.
class PullConsumer {
 public:
  virtual ~PullConsumer() = default;
  /// Allows `count` more deliveries. What is asked of the server and not yet
  /// delivered never exceeds what was allowed and not yet used. Thread-safe.
  virtual void allow(std::size_t count) = 0;
  /// Takes back at most `count` of what was allowed and not used, as far as possible now: those
  /// are returned, and are not delivered. What the server was asked for can be taken back when that
  /// request ends (within 5 s): ask again. Thread-safe.
  virtual std::size_t withdraw(std::size_t count) = 0;
  /// Asks for no more. Deliveries that still come are given back (nak).
  virtual void stop() = 0;
};

/// Work, taken from durables and settled. Threads and handlers: as of `Bus`.
class Puller {
 public:
  virtual ~Puller() = default;

  /// Pulls from a durable that exists (or will: it asks again until it does).
  virtual std::unique_ptr<PullConsumer> pull(Durable durable, DeliveryHandler handler) = 0;

  /// Settles a delivery; used by `Delivery`.
  virtual void settle(const std::string& reply, Settlement settlement) = 0;
};

}  // namespace toolway::bus
