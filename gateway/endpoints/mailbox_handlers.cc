// The mailbox: what has completed, and how much of it is acknowledged.
#include "gateway/endpoints/mailbox_handlers.h"

#include "base/try.h"
#include "gateway/wire/request_body.h"

namespace toolway::gateway::endpoints {
namespace {

wire::HttpResult<persistence::store::MailboxCursor> parse_ack(std::string_view body) {
  ASSIGN_OR_RETURN(auto json, wire::parse_body(body));
  Mistakes mistakes;
  wire::BodyReader reader(json, mistakes);
  reader.only({"cursor"});
  const std::string* cursor = reader.text("cursor");
  if (cursor == nullptr && mistakes.count() == 0) {
    reader.wrong("cursor", "expected the cursor of a completion", "required");
  }
  if (mistakes.count() > 0) return wire::refuse(wire::invalid_request(std::move(mistakes).take()));
  return mailbox::parse_mailbox_cursor(*cursor);
}

/// Errors: invalid_cursor when no completion is at or past `cursor`; store_unavailable.
loop::Task<wire::HttpResult<void>> check_exists(loop::AsyncStore& async_store, SessionKey session,
                                                persistence::store::MailboxCursor cursor) {
  auto read = [session,
               before = mailbox::cursor_before(cursor)](persistence::store::StoreReader& store) {
    return store.mailbox(session, before, 1, persistence::store::Parents::kAny);
  };
  CO_ASSIGN_OR_RETURN(
      const auto found,
      co_await async_store.run<persistence::store::Page<persistence::store::MailboxEntry>>(
          std::move(read)));
  if (found.empty()) {
    co_return wire::refuse(
        ErrorCode::kInvalidCursor,
        "the mailbox has no completion at or past this cursor: acknowledge a cursor that it returned");
  }
  co_return wire::HttpResult<void>();
}

/// `?parent=`: `none` leaves out what turns have called.
wire::HttpResult<persistence::store::Parents> parse_parents(const wire::Target& target) {
  const auto text = target.query("parent");
  if (!text) return persistence::store::Parents::kAny;
  if (*text == "none") return persistence::store::Parents::kNone;
  return wire::refuse(wire::invalid_parameter("parent", "enum", "expected none"));
}

wire::Response shown(persistence::store::MailboxCursor cursor) {
  wire::Response response;
  wire::ObjectText object(response.body);
  object.text("cursor", mailbox::cursor_text(cursor));
  object.end();
  return response;
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> list_completions(const CompletionsContext& context,
                                                              const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({"after", "limit", "parent"}));
  CO_ASSIGN_OR_RETURN(const auto limit, wire::parse_limit(routed.target, 100, 1000));
  CO_ASSIGN_OR_RETURN(const auto parents, parse_parents(routed.target));
  std::optional<persistence::store::MailboxCursor> after;
  if (const auto text = routed.target.query("after")) {
    CO_ASSIGN_OR_RETURN(after, mailbox::parse_mailbox_cursor(*text));
  }
  // An acknowledgement through another gateway counts at once.
  auto session = co_await context.sessions.read(routed.caller, routed.id);
  CO_RETURN_IF_ERROR(session);
  context.sessions.touch(*session);
  const persistence::store::MailboxCursor read = mailbox::acknowledged((*session)->record);
  const mailbox::MailboxAsked asked{
      .after = after.value_or(read), .limit = limit, .parents = parents};
  CO_ASSIGN_OR_RETURN(auto page,
                      co_await mailbox::read_mailbox(context.mailbox, (*session)->key, asked));
  wire::Response response{.memory = std::move(page.memory)};
  wire::ObjectText object(response.body);
  co_await mailbox::write_mailbox(object, response.body, page, asked.after);
  object.text("acknowledged", mailbox::cursor_text(read));
  object.end();
  co_return response;
}

loop::Task<wire::HttpResult<wire::Response>> ack_completions(const CompletionsContext& context,
                                                             const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  const auto cursor = parse_ack(routed.request.body);
  CO_RETURN_IF_ERROR(cursor);
  CO_ASSIGN_OR_RETURN(auto session, co_await context.sessions.read(routed.caller, routed.id));
  context.sessions.touch(session);
  if (const auto read = mailbox::acknowledged(session->record); *cursor <= read)
    co_return shown(read);
  CO_RETURN_IF_ERROR(co_await check_exists(context.store, session->key, *cursor));
  sessions::SessionChange ack = [cursor = *cursor](v1::SessionRecord& record) {
    if (cursor <= mailbox::acknowledged(record)) return false;  // never backwards
    record.set_read_xid(cursor.xid);
    record.set_read_number(cursor.number);
    return true;
  };
  CO_ASSIGN_OR_RETURN(const auto changed,
                      co_await context.sessions.change(routed.caller, routed.id, std::move(ack)));
  co_return shown(mailbox::acknowledged(changed.session->record));
}

}  // namespace toolway::gateway::endpoints
