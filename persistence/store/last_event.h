#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "persistence/postgres/pqxx_query.h"
#include "persistence/store/store_reader.h"

/// The last event of a call, as far as it is recorded. Pure.
namespace toolway::persistence {

/// Columns of `last_event`, over completions f, the newest row e of call_events, and
/// call_alive a.
inline constexpr std::string_view kLastEventColumns =
    "f.event, f.result::text, f.incarnation, f.sequence, e.event, e.incarnation, e.sequence, "
    "a.attempt, a.seq, (extract(epoch FROM a.time) * 1000000)::bigint, a.incarnation, a.sequence";
inline constexpr std::size_t kLastEventCells = 12;
/// What joins those three to a call; `{}` is its id.
inline constexpr std::string_view kLastEventJoins =
    "LEFT JOIN completions f ON f.call_id = {0} "
    "LEFT JOIN LATERAL (SELECT event, incarnation, sequence FROM call_events "
    "WHERE call_id = {0} ORDER BY incarnation DESC, sequence DESC LIMIT 1) e ON true "
    "LEFT JOIN call_alive a ON a.call_id = {0} ";

/// The completion when there is one, or else the newest event; nothing: none is recorded. An
/// Alive, which is recorded as a time only, is put together from the event before it.
/// `first` is where the columns begin in the row.
Result<std::optional<RecordedEvent>> last_event(const std::vector<Cell>& row, std::size_t first);

}  // namespace toolway::persistence
