#include "persistence/store/mailbox_query.h"

#include <fmt/format.h>

#include <algorithm>

#include "persistence/store/recorded_rows.h"

namespace toolway::persistence::store {

std::string mailbox_rows(Parents parents) {
  return fmt::format(
      "SELECT {} FROM completions f LEFT JOIN calls c ON c.call_id = f.call_id {}"
      "WHERE f.session_key = $1::uuid AND (f.xid, f.number) > ($2::xid8, $3::bigint) "
      "AND f.xid < pg_snapshot_xmin(pg_current_snapshot()) {}"
      "ORDER BY f.xid, f.number LIMIT $4::bigint",
      kMailboxPageRows, kCommitJoin,
      parents == Parents::kNone ? "AND c.parent_call_id IS NULL " : "");
}

void end_before_early(Page<MailboxEntry>& page, Parents parents) {
  if (parents == Parents::kAny) return;
  const auto early = std::ranges::find_if(page, &MailboxEntry::early);
  if (early == page.end()) return;
  page.erase(early, page.end());
  page.more = false;
}

}  // namespace toolway::persistence::store
