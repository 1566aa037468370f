#pragma once

#include <string>
#include <vector>

#include "persistence/pg_query.h"
#include "persistence/store_reader.h"

/// From rows back to what was published. Pure.
namespace toolway::persistence {

/// Columns of `recorded_call`, over tables calls c, completions f, recorded_batches b
/// and the newest Started or RetryAt s.
inline constexpr std::string_view kCallColumns =
    "c.request, c.arguments::text, s.event, "
    "f.event, f.result::text, (extract(epoch FROM b.committed_at) * 1000000)::bigint";
Result<RecordedCall> recorded_call(const std::vector<Cell>& row);

/// Columns of `mailbox_entry`, over the same tables but s: every call there is completed.
inline constexpr std::string_view kMailboxColumns =
    "c.request, c.arguments::text, NULL, "
    "f.event, f.result::text, (extract(epoch FROM b.committed_at) * 1000000)::bigint, "
    "f.xid, f.number";
Result<MailboxEntry> mailbox_entry(const std::vector<Cell>& row);

/// Columns of `manifest_call`, over calls c, completions f and s as above.
inline constexpr std::string_view kManifestColumns =
    "c.call_id, c.namespace, c.tool, c.tool_call_id, c.topic, c.multi_step, "
    "(extract(epoch FROM c.submitted_at) * 1000000)::bigint, s.type, f.outcome, f.error_code";
Result<ManifestCall> manifest_call(const std::vector<Cell>& row);

/// Columns of `recorded_event`: incarnation, sequence, event, result as text.
Result<RecordedEvent> recorded_event(const std::vector<Cell>& row);

/// A CallEvent put together again: the result lies in a column of its own.
Result<v1::CallEvent> merged_event(const Cell& event, const Cell& result);

std::uint64_t to_number(const Cell& cell);

}  // namespace toolway::persistence
