#pragma once

#include <string>
#include <vector>

#include "persistence/pqxx_query.h"
#include "persistence/store_reader.h"

/// From rows back to what was published. Pure.
namespace toolway::persistence {

/// Columns of `recorded_call`, over tables calls c, completions f, the newest
/// Started s and recorded_batches b.
inline constexpr std::string_view kCallColumns =
    "c.request, c.arguments::text, (extract(epoch FROM s.time) * 1000000)::bigint, s.attempt, "
    "f.event, f.result::text, (extract(epoch FROM b.committed_at) * 1000000)::bigint";
Result<RecordedCall> recorded_call(const std::vector<Cell>& row);

/// Columns of `recorded_event`: incarnation, sequence, event, result as text.
Result<RecordedEvent> recorded_event(const std::vector<Cell>& row);

/// A CallEvent put together again: the result lies in a column of its own.
Result<v1::CallEvent> merged_event(const Cell& event, const Cell& result);

std::uint64_t to_number(const Cell& cell);

}  // namespace toolway::persistence
