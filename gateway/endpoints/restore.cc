// POST /v1/sessions/{s}/restore: login.
#include "gateway/endpoints/restore.h"

#include <spdlog/spdlog.h>

#include "base/try.h"
#include "gateway/answers/held_answer.h"
#include "gateway/calls/tool_advice.h"
#include "gateway/sessions/session_request.h"
#include "gateway/wire/request_body.h"

namespace toolway::gateway::endpoints {
namespace {

constexpr std::size_t kFirstPage = 100;

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> restore(const RestoreContext& context,
                                                     const wire::RoutedRequest& routed,
                                                     std::string session_id) {
  CO_ASSIGN_OR_RETURN(auto found, co_await context.sessions.find(routed.caller, session_id));
  if (found->record.state() == v1::SessionRecord::STATE_CLOSED) {
    CO_RETURN_IF_ERROR(context.sessions.admit_restored(routed.caller));
  }
  CO_ASSIGN_OR_RETURN(const catalogue::ToolListPtr tools,
                      co_await context.tools.of(found->namespaces, tools::exports::Format::kToolway,
                                                found->record.session_key(), routed.grants));
  CO_ASSIGN_OR_RETURN(auto room, answers::room_for(context.answers.memory, tools->json.size()));
  std::string digest_before;
  const WallTime now = context.clock.wall();
  sessions::SessionChange reopen = [&](v1::SessionRecord& record) {
    digest_before = record.toolset_digest();
    const bool closed = record.state() == v1::SessionRecord::STATE_CLOSED;
    if (!closed && digest_before == tools->digest) return false;
    if (closed) record.set_updated_at_us(to_unix_us(now));
    record.set_state(v1::SessionRecord::STATE_OPEN);
    record.set_active_at_us(to_unix_us(now));
    record.set_toolset_digest(tools->digest);
    return true;
  };
  CO_ASSIGN_OR_RETURN(auto opened, co_await context.sessions.change(
                                       routed.caller, std::move(session_id), std::move(reopen)));
  const sessions::SessionPtr session = opened.session;
  const mailbox::MailboxAsked asked{mailbox::acknowledged(session->record), kFirstPage};
  auto page = co_await mailbox::read_mailbox(context.mailbox, session->key, asked);
  wire::Response response;
  std::string unread;
  wire::ObjectText mailbox(unread);
  if (page) {
    response.memory = std::move(page->memory);
    co_await mailbox::write_mailbox(mailbox, unread, *page, asked.after);
  } else {
    // It is open even if the database fails: its completions can be read later.
    spdlog::warn("session {} was restored without its completions: {}",
                 session->record.session_id(), page.error().error.message);
    mailbox.null("completions");
    mailbox.text("next", mailbox::cursor_text(asked.after));
    mailbox.null("more");
    mailbox.null("behind");
  }
  mailbox.end();
  const std::size_t bytes = tools->json.size() + unread.size();
  room.resize(0);  // from now on the answer counts it
  auto warnings =
      calls::namespace_warnings(*context.registry.now(), session->namespaces, routed.grants);
  auto write = [session, tools, digest_before, warnings = std::move(warnings),
                unread = std::move(unread)](std::string& out) {
    out.reserve(tools->json.size() + unread.size() + 4096);
    wire::ObjectText object(out);
    sessions::write_session(object, out, session->record);
    object.boolean("tools_changed", digest_before != tools->digest);
    object.json("tools", tools->json);
    sessions::write_warnings(object, out, warnings);
    object.members(unread);
    object.end();
  };
  co_return co_await answers::written(context.answers, std::move(response), bytes,
                                      answers::Sent::kAlways, std::move(write));
}

loop::Task<wire::HttpResult<wire::Response>> restore_session(const RestoreContext& context,
                                                             const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_ASSIGN_OR_RETURN(auto body,
                      wire::parse_body(routed.request.body.empty() ? "{}" : routed.request.body));
  Mistakes mistakes;
  wire::BodyReader reader(body, mistakes);
  reader.only({});
  if (mistakes.count() > 0)
    co_return wire::refuse(wire::invalid_request(std::move(mistakes).take()));
  co_return co_await restore(context, routed, routed.id);
}

}  // namespace toolway::gateway::endpoints
