#include "gateway/wire/event_id.h"

#include <fmt/format.h>

#include <limits>

#include "base/text.h"

namespace toolway::gateway::wire {
namespace {

/// Digits only, canonical, within range.
std::optional<std::int64_t> canonical(std::string_view text) {
  if (text.empty() || text.front() < '1' || text.front() > '9') return std::nullopt;
  std::int64_t value = 0;
  return parse_number(text, value) ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string EventId::text() const {
  const fmt::format_int life(incarnation);
  const fmt::format_int place(number);
  std::string text;
  text.reserve(life.size() + 1 + place.size());
  text.append(life.data(), life.size()).append(1, '-').append(place.data(), place.size());
  return text;
}

HttpResult<EventId> parse_event_id(std::string_view text) {
  if (text == "0") return EventId{};
  const auto dash = text.find('-');
  if (dash != std::string_view::npos) {
    const auto incarnation = canonical(text.substr(0, dash));
    // Stored elsewhere as a signed number: larger ones cannot be ours.
    const auto number = canonical(text.substr(dash + 1));
    // 0 is where a stream begins: a page of a session without events returns it.
    if (incarnation && (number || text.substr(dash + 1) == "0")) {
      return EventId{*incarnation, static_cast<std::uint64_t>(number.value_or(0))};
    }
  }
  return refuse(ErrorCode::kInvalidCursor,
                "the cursor is not an event id; use one exactly as you received it, or 0");
}

}  // namespace toolway::gateway::wire
