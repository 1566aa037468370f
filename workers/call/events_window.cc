#include "workers/call/events_window.h"

#include <algorithm>
#include <utility>

#include "base/mutex.h"
#include "bus/lost_answer.h"
#include "proto/subjects.h"

namespace toolway::workers::call {
namespace {

/// What is at the window's edge now may have left it before our first event is stored.
constexpr std::chrono::seconds kWindowMargin{60};

}  // namespace

bool holds_log_of(const EventsHeld& held, const v1::CallRequest& request, WallTime stored_at) {
  const bool first_publication = request.publication() == 0;
  // A message that does not say that it is a repetition may still be one, from an older gateway.
  const WallTime first = std::min(stored_at, from_unix_us(request.submitted_at_us()));
  if (!held.moves) return held.since <= (first_publication ? stored_at : first);
  // When a call that was published again was published first, only its gateway's clock tells.
  return first_publication && held.since + kWindowMargin <= first;
}

void EventsWindow::ask(Handler handler) {
  {
    const MutexLock lock(mutex_);
    waiting_.push_back(std::move(handler));
    if (std::exchange(asking_, true)) return;
    asked_ = std::exchange(waiting_, {});
  }
  put();
}

void EventsWindow::answer(const Result<EventsHeld>& held) {
  std::vector<Handler> answered;
  bool again = false;
  {
    const MutexLock lock(mutex_);
    answered = std::exchange(asked_, std::exchange(waiting_, {}));
    again = asking_ = !asked_.empty();
  }
  if (again) put();
  for (const auto& handler : answered) handler(held);
}

void EventsWindow::put() {
  const auto say = [self = shared_from_this()](const Result<EventsHeld>& held) {
    self->answer(held);
  };
  auto on_state = [self = shared_from_this(), say](Result<bus::StreamState> state) {
    if (!state) return say(fail(std::move(state.error())));
    const EventsHeld held{.since = from_unix_us(state->incarnation * 1000),
                          .incarnation = state->incarnation,
                          .first_sequence = state->first_sequence,
                          .moves = state->first_sequence > 1};
    // Nothing has ever left it; or everything has, by age, and what was published once would have
    // gone too.
    if (!held.moves || state->messages == 0) return say(held);
    bus::ask_or_lost(say, [&] { self->ask_first(held); });
  };
  bus::ask_or_lost(say, [&] { bus_.stream_state(proto::kEventsStream, std::move(on_state)); });
}

void EventsWindow::ask_first(EventsHeld held) {
  auto on_first = [self = shared_from_this(), held](Result<bus::StoredMessage> message) mutable {
    if (!message) return self->answer(fail(std::move(message.error())));
    held.since = message->stored_at;
    held.first_sequence = message->sequence;
    self->answer(held);
  };
  bus_.next_message(proto::kEventsStream, "event.>", held.first_sequence,
                    bus::ReadFrom::kAnyReplica, std::move(on_first));
}

}  // namespace toolway::workers::call
