#include "workers/events_window.h"

#include "proto/subjects.h"

namespace toolway::workers {

void EventsWindow::learned(WallTime begins) {
  const std::scoped_lock lock(mutex_);
  begins_ = begins;
  learned_at_ = clock_.monotonic();
}

void EventsWindow::begins(std::function<void(Result<WallTime>)> handler) {
  std::optional<WallTime> known;
  {
    const std::scoped_lock lock(mutex_);
    if (begins_ && clock_.monotonic() - learned_at_ < kRemember) known = begins_;
  }
  if (known) return handler(*known);

  auto first = [self = shared_from_this(), handler](Result<bus::StoredMessage> message) {
    if (!message) return handler(fail(std::move(message.error())));
    self->learned(message->stored_at);
    handler(message->stored_at);
  };
  bus_.stream_state(
      proto::kEventsStream,
      [self = shared_from_this(), handler, first](Result<bus::StreamState> state) {
        if (!state) return handler(fail(std::move(state.error())));
        // Nothing has ever left it; or all has, by age, and the call would have gone as well.
        if (state->first_sequence <= 1 || state->messages == 0) {
          self->learned(WallTime::min());
          return handler(WallTime::min());
        }
        self->bus_.next_message(proto::kEventsStream, "event.>", state->first_sequence,
                                bus::ReadFrom::kAnyReplica, first);
      });
}

}  // namespace toolway::workers
