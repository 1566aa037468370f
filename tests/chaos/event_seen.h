#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace toolway::chaos {

/// An id as SSE streams show it, taken apart. Clients may not, a checker must.
struct EventId {
  std::int64_t incarnation = 0;
  std::uint64_t number = 0;
  auto operator<=>(const EventId&) const = default;
  std::string text() const;
};
std::optional<EventId> parse_event_id(std::string_view text);

/// What an event said, as far as it is judged; `digest` covers all of it.
struct EventSeen {
  EventId id;
  std::string type;
  std::string call_id;
  std::string tool;       ///< without its namespace
  bool approved = false;  ///< of a decision: the call may run
  unsigned attempt = 0;
  unsigned seq = 0;
  std::int64_t time_us = 0;
  std::size_t digest = 0;
  std::string outcome;            ///< of a completion
  std::string error_code;         ///< of a completion or a retry
  std::string worker;             ///< of a start
  std::vector<unsigned> steps;    ///< of progress: those that it reports
  double progress = 0;            ///< of progress
  std::string log;                ///< of a log: its message
  std::vector<std::string> keys;  ///< of questions that it asks, or says that they are answered
  std::uint64_t total_steps = 0;  ///< of the completion of a tool with steps
  std::string owners;             ///< users whose tokens are in its bytes, separated by spaces
};

/// Nothing when it is not an event.
std::optional<EventSeen> read_event(const OrderedJson& event);
/// The users whose tokens a text holds, sorted, separated by spaces. A token is `tok.<user>.<n>.`
std::string owners_in(std::string_view text);
/// Microseconds since the epoch of an RFC 3339 time in UTC; 0 when it is not one.
std::int64_t parse_time(std::string_view rfc3339);
/// Of an object's field; empty or 0 when it is missing or null.
std::string text_at(const OrderedJson& object, const char* field);
std::uint64_t number_at(const OrderedJson& object, const char* field);
/// Likewise; empty when it is not a list.
const OrderedJson& list_at(const OrderedJson& object, const char* field);

}  // namespace toolway::chaos
