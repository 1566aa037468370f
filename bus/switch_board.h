#pragma once

#include <functional>
#include <memory>

#include "bus/bus.h"
#include "proto/switches.h"

namespace toolway::bus {

/// What operators have switched off: the bucket `switches`, followed. Changes arrive as they are
/// stored. What may have been missed (before the start, while disconnected, a lost message)
/// is found by reading the bucket: at the start, after a reconnect, and whenever `look` sees that
/// the bucket has changed. While the bus is away, what was known last applies. Thread-safe.
class SwitchBoard {
 public:
  /// `on_change` is called on a thread of the bus, without a lock, and never after the destructor
  /// has begun and its caller has waited for the calls in progress. Must not block. `bus` must
  /// outlive this.
  explicit SwitchBoard(Bus& bus, std::function<void()> on_change = {});
  ~SwitchBoard();
  SwitchBoard(const SwitchBoard&) = delete;
  SwitchBoard& operator=(const SwitchBoard&) = delete;

  /// Asks whether the bucket has changed unnoticed, and reads it if so. Returns at once. Every
  /// second.
  void look();
  /// Whether the bucket has been read once: before that, it is unknown what may run.
  bool known() const;
  /// Never null.
  std::shared_ptr<const proto::Switches> now() const;

 private:
  struct State;
  const std::shared_ptr<State> state_;
  std::unique_ptr<Subscription> on_connection_;
};

}  // namespace toolway::bus
