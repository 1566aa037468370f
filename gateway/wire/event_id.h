#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/wire/problem.h"
#include "persistence/store/store_reader.h"

namespace toolway::gateway::wire {

using persistence::store::EventPosition;

/// What readers see as an event's id: `<incarnation>-<number>`. A message on
/// stream EVENTS at sequence s has number 2s; when it stands for its attempt's
/// Started as well, that one is shown before it with number 2s - 1. So ids
/// grow strictly, and each names one shown event.
struct EventId {
  std::int64_t incarnation = 0;
  std::uint64_t number = 0;
  auto operator<=>(const EventId&) const = default;

  /// The message that the event was made of.
  EventPosition position() const { return {incarnation, (number + 1) / 2}; }
  /// A reader that has seen this event has read everything up to here.
  EventPosition read_up_to() const { return {incarnation, number / 2}; }
  std::string text() const;
};

inline EventId id_of(EventPosition position) {
  return {position.incarnation, position.sequence * 2};
}

/// Reads a cursor: an id, or `0` for "before the first event".
/// Errors: invalid_cursor.
HttpResult<EventId> parse_event_id(std::string_view text);

}  // namespace toolway::gateway::wire
