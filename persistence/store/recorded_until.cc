#include "persistence/store/recorded_until.h"

#include <algorithm>

#include "base/try.h"
#include "bus/answer.h"
#include "proto/subjects.h"

namespace toolway::persistence::store {
namespace {

Result<WallTime> ask_of(bus::StreamReader& bus, const Clock& clock, std::string_view stream) {
  Recording recording{.asked_at = clock.wall(), .collector = {}, .oldest_unrecorded = {}};
  auto state = bus::answer_of<bus::ConsumerState>([&](auto handler) {
    bus.consumer_state({std::string(stream), std::string(proto::kCollectorDurable)}, handler);
  });
  RETURN_IF_ERROR(state);
  recording.collector = *state;
  if (state->pending > 0 || state->ack_pending > 0) {
    auto oldest = bus::answer_of<bus::StoredMessage>([&](auto handler) {
      bus.next_message(stream, ">", state->ack_floor + 1, bus::ReadFrom::kAnyReplica, handler);
    });
    if (oldest) recording.oldest_unrecorded = oldest->stored_at;
  }
  return recorded_until(recording);
}

}  // namespace

WallTime recorded_until(const Recording& recording) {
  const auto& collector = recording.collector;
  if (collector.pending == 0 && collector.ack_pending == 0) return recording.asked_at;
  return recording.oldest_unrecorded.value_or(WallTime{});
}

Result<WallTime> ask_recorded_until(bus::StreamReader& bus, const Clock& clock) {
  ASSIGN_OR_RETURN(auto calls, ask_of(bus, clock, proto::kCallsStream));
  ASSIGN_OR_RETURN(auto events, ask_of(bus, clock, proto::kEventsStream));
  return std::min(calls, events);
}

}  // namespace toolway::persistence::store
