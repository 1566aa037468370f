#pragma once

#include <string>

#include "persistence/postgres/sql_row.h"
#include "persistence/store/store_reader.h"

/// From rows back to what was published. Pure.
namespace toolway::persistence::store {

/// Columns of `recorded_call`, over tables calls c, completions f, recorded_batches b
/// and the newest Started or RetryAt s.
inline constexpr std::string_view kCallColumns =
    "c.request, c.arguments::text AS arguments, s.event AS step, f.event AS completion, "
    "f.result::text AS result, (extract(epoch FROM b.committed_at) * 1000000)::bigint AS committed";
Result<RecordedCall> recorded_call(const postgres::SqlRow& row);

/// Joins completions f with the COMMIT of their transaction.
inline constexpr std::string_view kCommitJoin = "LEFT JOIN recorded_batches b ON b.xid = f.xid ";

/// The same for a page (page_query.h): the columns of its rows, and what it shows of them.
/// Bytes come as twice as many hexadecimal digits; the rest of a row is its short columns.
inline constexpr std::string_view kCallPageRows =
    "c.call_id, c.request, c.arguments, s.event AS step, f.event AS completion, f.result, "
    "(extract(epoch FROM b.committed_at) * 1000000)::bigint AS committed, "
    "coalesce(octet_length(c.request), 0) * 2 + coalesce(octet_length(c.arguments::text), 0) + "
    "coalesce(octet_length(s.event), 0) * 2 + coalesce(octet_length(f.event), 0) * 2 + "
    "coalesce(octet_length(f.result::text), 0) + 512 AS bytes";
inline constexpr std::string_view kCallPageColumns =
    "request, arguments, step, completion, result, committed";

/// Columns of `mailbox_entry`, over the same tables except s: every call there is completed.
inline constexpr std::string_view kMailboxPageRows =
    "c.request, c.arguments, f.event AS completion, f.result, "
    "(extract(epoch FROM b.committed_at) * 1000000)::bigint AS committed, f.xid, f.number, "
    "c.call_id IS NULL AND f.completed_at > clock_timestamp() - interval '10 seconds' AS early, "
    "coalesce(octet_length(c.request), 0) * 2 + coalesce(octet_length(c.arguments::text), 0) + "
    "octet_length(f.event) * 2 + coalesce(octet_length(f.result::text), 0) + 512 AS bytes";
inline constexpr std::string_view kMailboxPageColumns =
    "request, arguments, NULL AS step, completion, result, committed, xid, number, early";
Result<MailboxEntry> mailbox_entry(const postgres::SqlRow& row);

/// Columns of `manifest_call`, over calls c, completions f and s as above.
inline constexpr std::string_view kManifestColumns =
    "c.call_id, c.namespace, c.tool, c.tool_call_id, c.topic, c.multi_step, "
    "(extract(epoch FROM c.submitted_at) * 1000000)::bigint AS submitted, s.type AS step, c.held, f.outcome, f.error_code";
Result<ManifestCall> manifest_call(const postgres::SqlRow& row);

/// Of columns incarnation, sequence, event and result.
Result<RecordedEvent> recorded_event(const postgres::SqlRow& row);

/// Of columns number and data.
Result<BlobPiece> blob_piece(const postgres::SqlRow& row);

/// A CallEvent put together again: the result has a column of its own.
Result<v1::CallEvent> merged_event(const std::string& event, std::optional<std::string> result);

/// Of columns incarnation and sequence, whose names begin with `prefix`.
EventPosition position_of(const postgres::SqlRow& row, std::string_view prefix = "");

}  // namespace toolway::persistence::store
