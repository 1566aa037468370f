#include "gateway/endpoints/audit_handler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/try.h"
#include "base/utf8.h"
#include "gateway/mailbox/mailbox.h"
#include "gateway/wire/json_text.h"
#include "gateway/wire/time_text.h"
#include "proto/audit_kinds.h"

namespace toolway::gateway::endpoints {
namespace {

using persistence::audit::RecordFilter;
using persistence::audit::RecordPage;
using persistence::audit::RecordPlace;

constexpr std::size_t kMaxTextBytes = 255;

wire::HttpResult<std::string> parse_text(const wire::Target& target, std::string_view name) {
  const auto text = target.query(name);
  if (!text) return std::string();
  // Postgres takes no other text.
  if (text->empty() || text->size() > kMaxTextBytes || !valid_utf8(*text) ||
      text->find('\0') != std::string_view::npos)
    return wire::refuse(wire::invalid_parameter(name, "maxLength", "expected 1 to 255 bytes"));
  return std::string(*text);
}

wire::HttpResult<RecordFilter> parse_filter(const wire::RoutedRequest& routed, WallTime now) {
  const auto& target = routed.target;
  RecordFilter filter;
  ASSIGN_OR_RETURN(auto tenant, parse_text(target, "tenant"));
  if (routed.caller.method != extensions::kByOperator) {
    // Callers are not told which others there are.
    filter.tenant = routed.caller.tenant_id;
    if (!tenant.empty() && tenant != routed.caller.tenant_id)
      return wire::refuse(ErrorCode::kPermissionDenied,
                          "you may read the records of your own tenant");
  } else if (!tenant.empty()) {
    filter.tenant = std::move(tenant);
  }
  ASSIGN_OR_RETURN(filter.what, parse_text(target, "what"));
  if (!filter.what.empty() && !proto::is_audit_kind(filter.what))
    return wire::refuse(wire::invalid_parameter(
        "what", "enum", fmt::format("expected one of {}", fmt::join(proto::kAuditKinds, ", "))));
  ASSIGN_OR_RETURN(filter.user, parse_text(target, "user"));
  ASSIGN_OR_RETURN(filter.since, wire::parse_moment(target, "since", now));
  ASSIGN_OR_RETURN(filter.until, wire::parse_moment(target, "until", now));
  return filter;
}

wire::HttpResult<RecordPlace> parse_after(const wire::Target& target) {
  const auto text = target.query("after");
  if (!text) return RecordPlace{};
  const auto cursor = mailbox::parse_mailbox_cursor(*text);
  if (!cursor)
    return wire::refuse(ErrorCode::kInvalidCursor,
                        "?after= takes the `next` of an earlier page, or 0 for the beginning");
  return RecordPlace{cursor->xid, cursor->number};
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> list_audit(const AuditContext& context,
                                                        const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(
      routed.target.only({"after", "limit", "tenant", "what", "user", "since", "until"}));
  CO_ASSIGN_OR_RETURN(const auto limit, wire::parse_limit(routed.target, 100, 1000));
  CO_ASSIGN_OR_RETURN(const auto after, parse_after(routed.target));
  CO_ASSIGN_OR_RETURN(auto filter, parse_filter(routed, context.clock.wall()));
  CO_ASSIGN_OR_RETURN(auto memory,
                      context.memory.take(wire::MemoryUse::kAnswer, wire::kPageMemory));
  auto read = [filter = std::move(filter), after, limit](persistence::store::StoreReader& store) {
    return store.audit(filter, after, limit);
  };
  CO_ASSIGN_OR_RETURN(const auto page, co_await context.store.run<RecordPage>(std::move(read)));
  wire::Response response{.memory = std::move(memory)};
  wire::ObjectText object(response.body);
  object.begin("records");
  wire::ListText list(response.body);
  for (const auto& record : page.records) {
    list.next();
    response.body += record;
  }
  list.end();
  object.text("next", mailbox::cursor_text({page.looked_to.xid, page.looked_to.number}));
  object.boolean("more", page.more);
  object.end();
  co_return response;
}

}  // namespace toolway::gateway::endpoints
