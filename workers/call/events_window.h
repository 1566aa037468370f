#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "bus/stream_reader.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::workers::call {

/// What stream EVENTS still holds.
struct EventsHeld {
  WallTime since{};  ///< all that was stored from then on, by the server's clock
  std::int64_t incarnation = 0;
  std::uint64_t first_sequence = 0;  ///< of its first message
  bool moves = false;                ///< something has left it: more may at any time
};

/// Whether EVENTS holds all that the call's log ever had, so that "no event" means that it never
/// had one. `stored_at`: of the message that was delivered, which need not be the call's first.
/// Pure.
bool holds_log_of(const EventsHeld& held, const v1::CallRequest& request, WallTime stored_at);

/// Asks what EVENTS holds. Thread-safe; must not outlive its bus.
class EventsWindow : public std::enable_shared_from_this<EventsWindow> {
 public:
  using Handler = std::function<void(const Result<EventsHeld>&)>;

  explicit EventsWindow(bus::StreamReader& bus) : bus_(bus) {}

  /// Hands out what EVENTS holds at a time after this was called: an earlier answer proves
  /// nothing, since a window may leap. All who ask while a question is in flight share the next
  /// one. Errors as of `Bus`.
  void ask(Handler handler);

 private:
  void put();
  void ask_first(EventsHeld held);
  void answer(const Result<EventsHeld>& held);

  bus::StreamReader& bus_;
  Mutex mutex_;
  bool asking_ GUARDED_BY(mutex_) = false;
  std::vector<Handler> asked_ GUARDED_BY(mutex_);    // by the question in flight
  std::vector<Handler> waiting_ GUARDED_BY(mutex_);  // for the next one
};

}  // namespace toolway::workers::call
