#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "bus/bus.h"

namespace toolway::workers {

/// Since when stream EVENTS still holds everything. Only of a call that is younger does
/// "no event" mean that it never had one. Remembers for 5 s. Thread-safe; must not outlive
/// its bus.
class EventsWindow : public std::enable_shared_from_this<EventsWindow> {
 public:
  static constexpr std::chrono::seconds kRemember{5};

  EventsWindow(bus::Bus& bus, const Clock& clock) : bus_(bus), clock_(clock) {}

  /// Hands out that time, by the server's clock; WallTime::min() when nothing has left the
  /// stream yet. Errors as of `Bus`. May call `handler` at once.
  void begins(std::function<void(Result<WallTime>)> handler);

 private:
  void learned(WallTime begins);

  bus::Bus& bus_;
  const Clock& clock_;
  std::mutex mutex_;
  std::optional<WallTime> begins_;  // under mutex_
  MonotonicTime learned_at_{};      // under mutex_
};

}  // namespace toolway::workers
