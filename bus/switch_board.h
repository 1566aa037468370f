#pragma once

#include <functional>
#include <memory>

#include "bus/bus.h"
#include "proto/switches.h"

namespace toolway::bus {

/// What operators have switched off: the bucket `switches`, followed. Changes are heard as they are
/// stored. What may not have been heard (before the start, while disconnected, a word that was lost)
/// is found by reading the bucket: at the start, after a reconnect, and whenever `look` sees that the
/// bucket has gone on. While the bus is away, what was known last holds. Thread-safe.
class SwitchBoard {
 public:
  /// `on_change` is called on a thread of the bus, without a lock, and never after the destructor has
  /// begun and its caller has seen to the calls under way. Must not block. `bus` must outlive this.
  explicit SwitchBoard(Bus& bus, std::function<void()> on_change = {});
  ~SwitchBoard();
  SwitchBoard(const SwitchBoard&) = delete;
  SwitchBoard& operator=(const SwitchBoard&) = delete;

  /// Asks whether the bucket has changed unheard, and reads it if so. Returns at once. Every second.
  void look();
  /// Whether the bucket has been read once: before that, nobody knows what may run.
  bool known() const;
  /// Never null.
  std::shared_ptr<const proto::Switches> now() const;

 private:
  struct State;
  const std::shared_ptr<State> state_;
  std::unique_ptr<Subscription> on_connection_;
};

}  // namespace toolway::bus
