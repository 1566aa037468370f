#include "persistence/store/held_query.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "persistence/store/last_event.h"
#include "persistence/store/page_query.h"
#include "proto/approvals.h"

namespace toolway::persistence::store {
namespace {

constexpr std::string_view kFirstId = "00000000-0000-0000-0000-000000000000";
constexpr std::string_view kLastId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/// Of each call: what is shown of it, and what the row weighs.
constexpr std::string_view kShown =
    "c.call_id, c.state, c.decided, c.request, c.arguments, {}, octet_length(c.request) * 2 + "
    "coalesce(octet_length(c.arguments::text), 0) + coalesce(octet_length(e.event), 0) * 2 + 512 AS bytes";

/// From table calls, which has those that no event says anything about yet. Those that have ended
/// are passed over before anything of them is read.
constexpr std::string_view kWaiting =
    "(SELECT h.call_id, 'waiting' AS state, NULL::bigint AS decided, h.request, h.arguments "
    "FROM calls h WHERE h.held AND h.tenant_id = $1 AND h.call_id > $2::uuid "
    "AND NOT EXISTS (SELECT FROM completions d WHERE d.call_id = h.call_id OFFSET 0) "
    "AND NOT EXISTS (SELECT FROM sessions s WHERE s.session_key = h.session_key "
    "AND s.state = 'deleted' OFFSET 0) "
    "ORDER BY h.call_id LIMIT $3::bigint) c";
constexpr std::string_view kEnded =
    "(SELECT p.call_id, p.state, (extract(epoch FROM p.decided_at) * 1000000)::bigint AS decided, "
    "r.request, r.arguments FROM approvals p CROSS JOIN LATERAL (SELECT request, arguments "
    "FROM calls h WHERE h.call_id = p.call_id AND NOT EXISTS (SELECT FROM sessions s "
    "WHERE s.session_key = h.session_key AND s.state = 'deleted') LIMIT 1) r WHERE p.tenant_id = $1 AND p.call_id < $2::uuid "
    "AND p.state <> 'waiting' AND p.state = ANY ($4::text[]) "
    "ORDER BY p.call_id DESC LIMIT $3::bigint) c";
/// As kLastEventJoins, without what came after the approval.
constexpr std::string_view kApprovalJoins =
    "LEFT JOIN completions f ON false LEFT JOIN call_alive a ON false "
    "LEFT JOIN LATERAL (SELECT event, incarnation, sequence FROM call_events "
    "WHERE call_id = c.call_id AND type IN ('approval_requested', 'approval_decided') "
    "ORDER BY incarnation DESC, sequence DESC LIMIT 1) e ON true ";

}  // namespace

HeldStatement held_page(const ApprovalFilter& filter, const std::optional<std::string>& after,
                        std::size_t rows, std::size_t max_bytes) {
  const bool waiting =
      std::ranges::find(filter.states, proto::held_state::kWaiting) != filter.states.end();
  const auto columns = fmt::format("request, arguments, state, decided, {}", kLastEventNames);
  const auto shown = fmt::format(fmt::runtime(kShown), kLastEventColumns);
  const auto of = [&](std::string_view from, std::string_view joins, std::string_view order) {
    return bounded_page(
        columns, fmt::format("SELECT {} FROM {} {} ORDER BY c.{}", shown, from, joins, order),
        order, max_bytes);
  };
  const std::string tenant = filter.tenant.empty() ? "default" : filter.tenant;
  if (waiting) {
    return {of(kWaiting, fmt::format(fmt::runtime(kLastEventJoins), "c.call_id"), "call_id"),
            {tenant, after.value_or(std::string(kFirstId)), rows}};
  }
  return {of(kEnded, kApprovalJoins, "call_id DESC"),
          {tenant, after.value_or(std::string(kLastId)), rows,
           postgres::SqlParameter::array(filter.states)}};
}

Result<HeldCall> held_call(const postgres::SqlRow& row) {
  HeldCall found;
  ASSIGN_OR_RETURN(found.call, call_and_log(row));
  found.state = row.get<std::string>("state");
  if (const auto decided = row.nullable<std::int64_t>("decided"))
    found.decided_at = from_unix_us(*decided);
  return found;
}

}  // namespace toolway::persistence::store
