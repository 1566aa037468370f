#include "persistence/collector/table_layout.h"

#include <fmt/format.h>

#include <array>

namespace toolway::persistence::collector {
namespace {

constexpr auto kFollows = Column::Follows::kYes;

constexpr Column kCallColumns[]{
    {"call_id", "uuid"},
    {"tenant_id", "text"},
    {"user_id", "text"},
    {"session_key", "uuid"},
    {"session_id", "text"},
    {"namespace", "text"},
    {"tool", "text"},
    {"tool_call_id", "text"},
    {"topic", "text"},
    {"multi_step", "boolean"},
    {"pool", "text"},
    {"submitted_at", "timestamptz"},
    {"parent_call_id", "uuid"},
    // A call that was published again is where its newest publication is.
    {"incarnation", "bigint", kFollows},
    {"sequence", "bigint", kFollows},
    {"held", "boolean", kFollows},
    {"arguments", "json", kFollows},
    {"request", "bytea", kFollows},
};
constexpr Column kEventColumns[]{
    {"call_id", "uuid"},       {"tenant_id", "text"},  {"session_key", "uuid"},
    {"incarnation", "bigint"}, {"sequence", "bigint"}, {"type", "text"},
    {"attempt", "integer"},    {"seq", "integer"},     {"time", "timestamptz"},
    {"event", "bytea"},
};
constexpr Column kCompletionColumns[]{
    {"call_id", "uuid"},
    {"tenant_id", "text"},
    {"session_key", "uuid"},
    {"incarnation", "bigint"},
    {"sequence", "bigint"},
    {"outcome", "text"},
    {"attempt", "integer"},
    {"seq", "integer"},
    {"started_at", "timestamptz"},
    {"completed_at", "timestamptz"},
    {"error_code", "text"},
    {"error_message", "text"},
    {"result", "json"},
    {"result_size", "bigint"},
    {"event", "bytea"},
};
constexpr Column kAliveColumns[]{
    {"call_id", "uuid"},
    {"tenant_id", "text"},
    {"attempt", "integer", kFollows},
    {"seq", "integer", kFollows},
    {"time", "timestamptz", kFollows},
    {"incarnation", "bigint", kFollows},
    {"sequence", "bigint", kFollows},
};
constexpr Column kBlobColumns[]{
    {"call_id", "uuid"},   {"tenant_id", "text"},     {"attempt", "integer"},
    {"number", "integer"}, {"incarnation", "bigint"}, {"sequence", "bigint"},
    {"data", "bytea"},
};
constexpr Column kSessionColumns[]{
    {"session_key", "uuid"},
    {"tenant_id", "text"},
    {"user_id", "text"},
    {"session_id", "text"},
    {"namespaces", "text[]", kFollows},
    {"state", "text", kFollows},
    {"created_at", "timestamptz", kFollows},
    {"updated_at", "timestamptz", kFollows},
    {"incarnation", "bigint", kFollows},
    {"revision", "bigint", kFollows},
    {"closing", "text", kFollows},
    {"closed_at", "timestamptz", kFollows},
    {"active_at", "timestamptz", kFollows},
    {"toolset_digest", "text", kFollows},
    {"read_xid", "xid8", kFollows},
    {"read_number", "bigint", kFollows},
    {"metadata", "json", kFollows},
    {"record", "bytea", kFollows},
};

constexpr Column kAuditColumns[]{
    {"at", "timestamptz"},  {"what", "text"},    {"id", "uuid"},      {"seq", "integer"},
    {"tenant_id", "text"},  {"user_id", "text"}, {"method", "text"},  {"key_id", "text"},
    {"session_id", "text"}, {"object", "text"},  {"outcome", "text"}, {"code", "text"},
    {"details", "json"},    {"digest", "bytea"},
};

constexpr Column kApprovalColumns[]{
    {"call_id", "uuid"},
    {"tenant_id", "text"},
    {"user_id", "text"},
    {"namespace", "text"},
    {"tool", "text"},
    {"requested_at", "timestamptz"},
    {"seq", "integer", kFollows},
    {"state", "text", kFollows},
    {"decided_at", "timestamptz", kFollows},
    {"decided_by", "text", kFollows},
};
constexpr Column kApiKeyColumns[]{
    {"key_id", "text"},
    {"tenant_id", "text", kFollows},
    {"user_id", "text", kFollows},
    {"sha256", "bytea", kFollows},
    {"roles", "text[]", kFollows},
    {"namespaces", "text[]", kFollows},
    {"note", "text", kFollows},
    {"created_at", "timestamptz", kFollows},
    {"created_by", "text", kFollows},
    {"expires_at", "timestamptz", kFollows},
    {"revoked_at", "timestamptz", kFollows},
    {"revoked_by", "text", kFollows},
    {"used_at", "timestamptz", kFollows},
    {"incarnation", "bigint", kFollows},
    {"revision", "bigint", kFollows},
};

constexpr std::string_view kCall[]{"call_id"};
constexpr std::string_view kSeq[]{"seq"};
constexpr std::string_view kKey[]{"key_id"};
constexpr std::string_view kSession[]{"session_key"};
constexpr std::string_view kEvent[]{"call_id", "incarnation", "sequence"};
constexpr std::string_view kChunk[]{"call_id", "attempt", "number"};
constexpr std::string_view kPosition[]{"incarnation", "sequence"};
constexpr std::string_view kRevision[]{"incarnation", "revision"};

constexpr std::string_view kRecord[]{"at", "what", "id", "seq"};
constexpr std::string_view kRecordOrder[]{"id", "seq", "what", "at"};

/// By Table.
constexpr std::array<TableLayout, kTables> kLayouts{{
    {"calls", MergeRule::kNewestWins, kCallColumns, kCall, kPosition},
    {"call_events", MergeRule::kFirstStays, kEventColumns, kEvent, kEvent},
    // In the order of their stream, which the mailbox shows.
    {"completions", MergeRule::kFirstStays, kCompletionColumns, kCall, kPosition},
    {"call_alive", MergeRule::kAlwaysMerge, kAliveColumns, kCall, kPosition},
    {"blobs", MergeRule::kFirstStays, kBlobColumns, kChunk, kChunk},
    // What comes from the bucket is in the bucket.
    {"sessions", MergeRule::kAlwaysMerge, kSessionColumns, kSession, kRevision, "in_bucket = true"},
    {"audit_log", MergeRule::kFirstStays, kAuditColumns, kRecord, kRecordOrder},
    // A call's log is a chain: a later event has a larger seq, in whichever stream its message
    // came.
    {"approvals", MergeRule::kAlwaysMerge, kApprovalColumns, kCall, kSeq},
    {"api_keys", MergeRule::kAlwaysMerge, kApiKeyColumns, kKey, kRevision},
}};

/// Each name put into `form`, separated by commas.
std::string list_of(std::span<const std::string_view> names, std::string_view form = "{}") {
  std::string text;
  for (const auto name : names) {
    if (!text.empty()) text += ", ";
    text += fmt::format(fmt::runtime(form), name);
  }
  return text;
}

}  // namespace

const TableLayout& layout_of(Table table) { return kLayouts[static_cast<std::size_t>(table)]; }

std::string batch_table(const TableLayout& layout) { return fmt::format("batch_{}", layout.name); }

std::string column_list(const TableLayout& layout) {
  std::string text;
  for (const auto& column : layout.columns)
    text.append(text.empty() ? "" : ", ").append(column.name);
  return text;
}

std::string merge_sql(const TableLayout& layout) {
  const auto columns = column_list(layout);
  if (layout.rule == MergeRule::kFirstStays) {
    return fmt::format("INSERT INTO {} ({}) SELECT {} FROM {} ORDER BY {} ON CONFLICT DO NOTHING",
                       layout.name, columns, columns, batch_table(layout), list_of(layout.order));
  }
  std::string set;
  for (const auto& column : layout.columns) {
    if (column.follows == kFollows)
      set += fmt::format("{0}{1} = excluded.{1}", set.empty() ? "" : ", ", column.name);
  }
  if (!layout.also_set.empty()) set += fmt::format(", {}", layout.also_set);
  const auto key = list_of(layout.key);
  return fmt::format(
      "INSERT INTO {} ({}) SELECT DISTINCT ON ({}) {} FROM {} ORDER BY {}, {} "
      "ON CONFLICT ({}) DO UPDATE SET {} WHERE ({}) < ({})",
      layout.name, columns, key, columns, batch_table(layout), key,
      list_of(layout.order, "{} DESC"), key, set,
      list_of(layout.order, fmt::format("{}.{{}}", layout.name)),
      list_of(layout.order, "excluded.{}"));
}

}  // namespace toolway::persistence::collector
