#pragma once

#include <optional>
#include <string_view>

#include "persistence/postgres/sql_row.h"
#include "persistence/store/store_reader.h"

/// The last event of a call, as far as it is recorded. Pure.
namespace toolway::persistence::store {

/// Columns of `last_event`, over completions f, the newest row e of call_events, and
/// call_alive a.
inline constexpr std::string_view kLastEventColumns =
    "f.event AS completion, f.result::text AS result, f.incarnation AS completion_incarnation, "
    "f.sequence AS completion_sequence, e.event, e.incarnation AS event_incarnation, e.sequence AS event_sequence, "
    "a.attempt AS alive_attempt, a.seq AS alive_seq, (extract(epoch FROM a.time) * 1000000)::bigint AS alive_time, "
    "a.incarnation AS alive_incarnation, a.sequence AS alive_sequence";
/// The names of these columns.
inline constexpr std::string_view kLastEventNames =
    "completion, result, completion_incarnation, completion_sequence, event, event_incarnation, "
    "event_sequence, alive_attempt, alive_seq, alive_time, alive_incarnation, alive_sequence";
/// What joins those three to a call; `{}` is its id.
inline constexpr std::string_view kLastEventJoins =
    "LEFT JOIN completions f ON f.call_id = {0} "
    "LEFT JOIN LATERAL (SELECT event, incarnation, sequence FROM call_events "
    "WHERE call_id = {0} ORDER BY incarnation DESC, sequence DESC LIMIT 1) e ON true "
    "LEFT JOIN call_alive a ON a.call_id = {0} ";

/// The completion when there is one, or else the newest event; nothing: none is recorded. An
/// Alive, which is recorded as a time only, is put together from the event before it.
Result<std::optional<RecordedEvent>> last_event(const postgres::SqlRow& row);

/// Of columns request and arguments, and those of `last_event`.
Result<CallAndLog> call_and_log(const postgres::SqlRow& row);

}  // namespace toolway::persistence::store
