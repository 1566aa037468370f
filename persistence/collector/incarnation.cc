#include "persistence/collector/incarnation.h"

#include "base/mutex.h"

namespace toolway::persistence::collector {

Incarnation::Incarnation(bus::StreamReader& bus, std::string stream)
    : bus_(bus), stream_(std::move(stream)), state_(std::make_shared<State>()) {}

std::int64_t Incarnation::current() const {
  MutexLock lock(state_->mutex);
  return state_->incarnation;
}

void Incarnation::forget() {
  MutexLock lock(state_->mutex);
  state_->incarnation = 0;
  ++state_->epoch;
}

void Incarnation::ask() {
  std::uint64_t epoch = 0;
  {
    MutexLock lock(state_->mutex);
    epoch = state_->epoch;
  }
  auto answer = [state = state_, epoch](Result<bus::StreamState> found) {
    // Without an answer, the waiting caller asks again.
    if (!found) return;
    {
      MutexLock lock(state->mutex);
      if (state->epoch != epoch) return;
      state->incarnation = found->incarnation;
    }
    state->known.notify_all();
  };
  bus_.stream_state(stream_, std::move(answer));
}

std::int64_t Incarnation::wait(std::chrono::milliseconds timeout) const {
  MutexLock lock(state_->mutex);
  state_->known.wait_for(lock, timeout,
                         [this]() REQUIRES(state_->mutex) { return state_->incarnation != 0; });
  return state_->incarnation;
}

}  // namespace toolway::persistence::collector
