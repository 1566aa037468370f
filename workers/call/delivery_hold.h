#pragma once

#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "proto/toolway/v1/call.pb.h"
#include "workers/worker.h"

namespace toolway::workers::call {

/// What a delivery says of its message.
struct DeliveryFacts {
  std::uint64_t sequence = 0;  ///< on CALLS
  std::uint64_t delivery_count = 1;
  WallTime stored_at{};  ///< by the server's clock
};

/// How long a call may count on its delivery, and when it is extended. Pure; not thread-safe.
class DeliveryHold {
 public:
  /// `options` must outlive it.
  DeliveryHold(DeliveryFacts delivery, const WorkerOptions& options, MonotonicTime now)
      : options_(options),
        first_(delivery),
        last_(delivery),
        extended_at_(now),
        extend_at_(now + options.extend_interval) {}

  /// The message came again: from now on that delivery counts.
  void redelivered(DeliveryFacts delivery, MonotonicTime now) {
    last_ = delivery;
    extended_at_ = now;
  }
  /// Whether to extend it now. While the bus is away it is tried again soon.
  bool extend(MonotonicTime now, bus::Connection connection);
  /// Another worker may have the message by now.
  bool lost(MonotonicTime now) const { return now - extended_at_ >= options_.abandon_unextended; }
  /// When `extend` must be called next.
  MonotonicTime next() const { return extend_at_; }

  /// It is at least this late by the server's clock.
  WallTime server_time() const;
  /// The call has come back more often than its log was looked at: each time after `delay` or more.
  void comes_back_after(std::chrono::milliseconds delay) { given_back_for_ = delay; }
  bool came_again() const { return last_.delivery_count > 1; }
  /// When the message that the call is held by was stored.
  WallTime stored_at() const { return first_.stored_at; }

 private:
  const WorkerOptions& options_;
  const DeliveryFacts first_;
  DeliveryFacts last_;
  MonotonicTime extended_at_;
  MonotonicTime extend_at_;
  /// The shortest time for which any worker gives a call back whose log it has looked at.
  std::chrono::milliseconds given_back_for_{1000};
};

/// The message is not the call's first, or was delivered before.
inline bool repeated(const v1::CallRequest& request, const DeliveryHold& hold) {
  return hold.came_again() || request.publication() > 0;
}

}  // namespace toolway::workers::call
