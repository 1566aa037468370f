#include "cli/process/bus_probe.h"

#include "base/mutex.h"
#include "bus/is_answer.h"
#include "proto/subjects.h"

namespace toolway::cli::process {
namespace {

using Steady = std::chrono::steady_clock;

}  // namespace

BusProbe::BusProbe(bus::Bus& bus) : bus_(bus), thread_([this] { run(); }) {}

BusProbe::~BusProbe() {
  {
    const MutexLock lock(state_->mutex);
    state_->ending = true;
  }
  state_->ending_changed.notify_all();
  thread_.join();
}

Result<void> BusProbe::ready() const {
  if (bus_.connection() != bus::Connection::kConnected)
    return fail(ErrorCode::kBusUnavailable, "NATS does not answer");
  const MutexLock lock(state_->mutex);
  if (state_->silence.ever_heard() && state_->silence.length(Steady::now()) < kSilent) return {};
  return fail(ErrorCode::kBusUnavailable, "JetStream does not answer");
}

void BusProbe::run() {
  MutexLock lock(state_->mutex);
  while (!state_->ending) {
    if (!state_->asking) {
      state_->asking = true;
      lock.unlock();
      ask();
      lock.lock();
    }
    state_->ending_changed.wait_for(lock, kProbeInterval,
                                    [this]() REQUIRES(state_->mutex) { return state_->ending; });
  }
}

/// One stream after the other: a server may hang in one of them and answer for the other.
void BusProbe::ask() {
  const auto begun = Steady::now();
  auto calls_told = [&bus = bus_, state = state_, begun](const Result<bus::StreamState>& calls) {
    if (!calls && !bus::is_answer(calls.error().code)) return answered(*state, calls, begun);
    const auto second = Steady::now();
    auto events_told = [state, second](const Result<bus::StreamState>& events) {
      answered(*state, events, second);
    };
    bus.stream_state(proto::kEventsStream, std::move(events_told));
  };
  bus_.stream_state(proto::kCallsStream, std::move(calls_told));
}

void BusProbe::answered(State& state, const Result<bus::StreamState>& answer,
                        MonotonicTime asked_at) {
  const MutexLock lock(state.mutex);
  state.asking = false;
  if (answer || bus::is_answer(answer.error().code))
    state.silence.heard();
  else
    state.silence.asked(asked_at);
}

}  // namespace toolway::cli::process
