#include "persistence/conversations/call_news.h"

#include <fmt/format.h>

#include "base/reserved_names.h"
#include "persistence/conversations/conversation_store.h"

namespace toolway::persistence::conversations {
namespace {

/// Of a place, which is a parameter.
std::string xid(int parameter) { return fmt::format("split_part(${}, '.', 1)::xid8", parameter); }
std::string number(int parameter) {
  return fmt::format("split_part(${}, '.', 2)::bigint", parameter);
}

}  // namespace

std::string news_statement(int after) {
  return fmt::format(
      "SELECT call_id, progress, place, of_turn, early, "
      "row_number() OVER (ORDER BY xid NULLS FIRST, number) AS nth FROM ("
      "SELECT call_id::text AS call_id, progress, '' AS place, false AS of_turn, false AS early, "
      "NULL::xid8 AS xid, row_number() OVER (ORDER BY call_id DESC) AS number FROM "
      "(SELECT call_id, progress FROM conversation_calls WHERE conversation = $1::uuid "
      "AND told_in IS NULL ORDER BY call_id DESC LIMIT {3}) u "
      "UNION ALL SELECT f.call_id::text, '', f.xid::text || '.' || f.number, "
      "COALESCE(k.parent_call_id IS NOT NULL OR k.namespace = '{0}', true), "
      "k.call_id IS NULL AND f.completed_at > clock_timestamp() - interval '10 seconds', "
      "f.xid, f.number FROM conversations c CROSS JOIN LATERAL "
      "(SELECT e.call_id, e.xid, e.number, e.completed_at FROM completions e "
      "WHERE e.session_key = c.session_key AND (e.xid, e.number) > "
      "(COALESCE({1}, c.heard_xid), COALESCE({2}, c.heard_number)) "
      "AND e.xid < pg_snapshot_xmin(pg_current_snapshot()) "
      "ORDER BY e.xid, e.number LIMIT {4}) f "
      "LEFT JOIN calls k ON k.call_id = f.call_id WHERE c.id = $1::uuid) n",
      kTurnNamespace, xid(after), number(after), ConversationStore::kMaxUntold,
      ConversationStore::kMaxHeard);
}

std::string set_heard(int parameter) {
  return fmt::format(
      "heard_xid = COALESCE({}, heard_xid), heard_number = COALESCE({}, heard_number)",
      xid(parameter), number(parameter));
}

}  // namespace toolway::persistence::conversations
