#include "gateway/endpoints/session_handlers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/try.h"
#include "gateway/answers/held_answer.h"
#include "gateway/answers/page_answer.h"
#include "gateway/calls/tool_advice.h"
#include "gateway/loop/task_group.h"
#include "gateway/sessions/session_request.h"
#include "gateway/wire/json_text.h"
#include "proto/subjects.h"
#include "tools/model/all_namespaces.h"

namespace toolway::gateway::endpoints {
namespace {

/// How long to wait until what was just written is recorded.
constexpr std::chrono::seconds kRecordWait{1};
/// How long to wait until the counts include what just happened.
constexpr std::chrono::milliseconds kCountsWait{200};

void write_counts(wire::ObjectText& object, std::string& out,
                  const std::optional<persistence::store::CallCounts>& counts,
                  mailbox::Recorded recorded) {
  object.begin("counts");
  if (!counts) {
    out.append("null");
    return;
  }
  wire::ObjectText inner(out);
  inner.number("queued", counts->queued);
  inner.number("running", counts->running);
  inner.number("held", counts->held);
  inner.number("completed", counts->completed);
  inner.number("unread", counts->unread);
  inner.boolean("behind", recorded != mailbox::Recorded::kAll);
  inner.end();
}

/// `room` becomes that of the list in the answer. Errors: kOverloaded too.
loop::Task<Result<std::string>> toolset_digest(const SessionsContext& context,
                                               std::span<const std::string> namespaces,
                                               std::string_view key,
                                               const extensions::GrantsPtr& grants,
                                               wire::MemoryBudget::Share& room) {
  CO_ASSIGN_OR_RETURN(auto list, co_await context.tools.of(
                                     namespaces, tools::exports::Format::kToolway, key, grants));
  auto taken = answers::room_for(context.answers.memory, list->json.size());
  if (!taken) co_return tl::unexpected(std::move(taken.error().error));
  room = std::move(*taken);
  co_return list->digest;
}

/// A session opens no wider than its user's grants.
wire::HttpResult<void> check_may_open(const extensions::GrantsPtr& grants,
                                      const std::vector<std::string>& namespaces) {
  if (!grants) return {};
  for (const auto& ns : namespaces) {
    const bool all = ns == tools::model::kAllNamespaces;
    const bool within = all || (grants->within_tenant(ns) && grants->within_limits(ns));
    if (within && grants->may_open(ns)) continue;
    return wire::refuse(
        wire::Problem{.error = {ErrorCode::kPermissionDenied, grants->why_not_open(ns)},
                      .scope = within ? fmt::format("call:{}.*", ns) : std::string()});
  }
  return {};
}

/// `before` of a list of sessions: the creation time of the last one shown, in microseconds.
wire::HttpResult<std::optional<WallTime>> parse_before(const wire::Target& target) {
  constexpr std::int64_t kLast =
      253'402'300'799'999'999;  // the year 9999: the database has fewer years than an integer
  const auto text = target.query("before");
  if (!text) return std::optional<WallTime>();
  std::int64_t us = 0;
  if (!parse_number(*text, us) || us <= 0 || us > kLast) {
    return wire::refuse(ErrorCode::kInvalidCursor, "?before= takes the `next` of an earlier page");
  }
  return from_unix_us(us);
}

/// The session that `body` asks for, new or not. `room`: of its list of tools.
loop::Task<wire::HttpResult<sessions::Opened>> opened_as(const SessionsContext& context,
                                                         const wire::RoutedRequest& routed,
                                                         std::string_view body,
                                                         wire::MemoryBudget::Share& room) {
  CO_ASSIGN_OR_RETURN(auto asked, sessions::parse_session_request(body));
  CO_RETURN_IF_ERROR(check_may_open(routed.grants, asked.namespaces));
  sessions::Sessions::ToolsetDigest digest =
      [&context, &routed, &room](std::span<const std::string> namespaces, std::string_view key) {
        return toolset_digest(context, namespaces, key, routed.grants, room);
      };
  co_return co_await context.sessions.open(std::move(asked), routed.caller, std::move(digest));
}

/// The session with its tools and warnings. `room`: of the list, until the answer counts it.
loop::Task<wire::HttpResult<wire::Response>> with_tools(const SessionsContext& context,
                                                        sessions::SessionPtr session,
                                                        unsigned status,
                                                        extensions::GrantsPtr grants,
                                                        wire::MemoryBudget::Share room) {
  auto list = co_await context.tools.of(session->namespaces, tools::exports::Format::kToolway,
                                        session->record.session_key(), grants);
  CO_RETURN_IF_ERROR(list);
  const std::size_t bytes = (*list)->json.size();
  auto warnings = calls::namespace_warnings(*context.registry.now(), session->namespaces, grants);
  auto write = [session, list = std::move(*list),
                warnings = std::move(warnings)](std::string& out) {
    out.reserve(list->json.size() + 4096);
    wire::ObjectText object(out);
    sessions::write_session(object, out, session->record);
    object.json("tools", list->json);
    sessions::write_warnings(object, out, warnings);
    object.end();
  };
  room.resize(0);
  wire::Response response{.status = status};
  co_return co_await answers::written(context.answers, std::move(response), bytes,
                                      answers::Sent::kAlways, std::move(write));
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> open_session(const SessionsContext& context,
                                                          const RestoreContext& closed,
                                                          const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  wire::MemoryBudget::Share room;
  CO_ASSIGN_OR_RETURN(auto opened, co_await opened_as(context, routed, routed.request.body, room));
  if (opened.session->record.state() == v1::SessionRecord::STATE_CLOSED) {
    room.resize(0);
    co_return co_await restore(closed, routed, opened.session->record.session_id());
  }
  const sessions::SessionPtr session = opened.session;
  co_return co_await with_tools(context, session, opened.created ? 201U : 200U, routed.grants,
                                std::move(room));
}

loop::Task<wire::HttpResult<sessions::SessionPtr>> session_or_new(const SessionsContext& context,
                                                                  const wire::RoutedRequest& routed,
                                                                  std::string session_id) {
  auto found = co_await context.sessions.find_open(routed.caller, session_id);
  if (found || found.error().error.code != ErrorCode::kUnknownSession) co_return found;
  const Json asked{{"session_id", session_id}, {"namespaces", {"*"}}};
  const std::string body = to_text(asked);
  wire::MemoryBudget::Share room;
  CO_ASSIGN_OR_RETURN(auto opened, co_await opened_as(context, routed, body, room));
  if (opened.session->record.state() == v1::SessionRecord::STATE_CLOSED)
    co_return wire::refuse(ErrorCode::kSessionClosed,
                           "the session is closed: restore it, or name another one");
  co_return std::move(opened.session);
}

loop::Task<wire::HttpResult<wire::Response>> add_namespaces(const SessionsContext& context,
                                                            const wire::RoutedRequest& routed) {
  constexpr int kMaxTries = 8;  // each lost race means that another writer has written
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_ASSIGN_OR_RETURN(const auto added, sessions::parse_added_namespaces(routed.request.body));
  CO_RETURN_IF_ERROR(check_may_open(routed.grants, added));
  CO_ASSIGN_OR_RETURN(auto session, co_await context.sessions.find_open(routed.caller, routed.id));
  for (int i = 0; i < kMaxTries; ++i) {
    CO_ASSIGN_OR_RETURN(const auto wanted, sessions::with_namespaces(session->record, added));
    wire::MemoryBudget::Share room;
    CO_ASSIGN_OR_RETURN(const auto digest,
                        co_await toolset_digest(context, wanted, session->record.session_key(),
                                                routed.grants, room));
    const sessions::NamespaceGain gain{.seen = session->namespaces,
                                       .wanted = wanted,
                                       .toolset_digest = digest,
                                       .now = context.pages.clock.wall()};
    CO_ASSIGN_OR_RETURN(auto changed,
                        co_await context.sessions.change(routed.caller, routed.id, gain));
    session = changed.session;
    if (!sessions::is_open(*session)) {
      CO_ASSIGN_OR_RETURN(session, co_await context.sessions.find_open(routed.caller, routed.id));
    } else if (session->namespaces == wanted) {
      co_return co_await with_tools(context, session, 200, routed.grants, std::move(room));
    }
  }
  co_return wire::refuse(wire::bus_problem(
      Error{ErrorCode::kBusUnavailable, "other writers changed the session at the same time"}));
}

loop::Task<wire::HttpResult<wire::Response>> show_session(const SessionsContext& context,
                                                          const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_ASSIGN_OR_RETURN(auto session, co_await context.sessions.read(routed.caller, routed.id));
  context.sessions.touch(session);
  const auto recorded =
      co_await mailbox::await_session_recorded(context.recorded, session->key, kCountsWait);
  auto read = [key = session->key, cursor = mailbox::acknowledged(session->record)](
                  persistence::store::StoreReader& store) { return store.counts(key, cursor); };
  const auto counts =
      co_await context.pages.store.run<persistence::store::CallCounts>(std::move(read));
  wire::Response response;
  wire::ObjectText object(response.body);
  sessions::write_session(object, response.body, session->record);
  write_counts(object, response.body,
               counts ? std::optional(*counts) : std::optional<persistence::store::CallCounts>(),
               recorded);
  object.end();
  co_return response;
}

loop::Task<wire::HttpResult<wire::Response>> list_sessions(const SessionsContext& context,
                                                           const wire::RoutedRequest& routed) {
  const auto due = context.pages.clock.monotonic();
  CO_RETURN_IF_ERROR(routed.target.only({"limit", "before"}));
  const auto limit = wire::parse_limit(routed.target, 100, 1000);
  CO_RETURN_IF_ERROR(limit);
  const auto before = parse_before(routed.target);
  CO_RETURN_IF_ERROR(before);
  loop::TaskGroup waits(co_await asio::this_coro::executor);
  const auto sessions = waits.start(
      mailbox::await_recorded(context.recorded, proto::kSessionsStream,
                              proto::bucket_subject(proto::kSessionsBucket, ">"), kRecordWait));
  const auto calls = waits.start(mailbox::await_all_recorded(context.recorded, kCountsWait));
  co_await waits.wait();
  const mailbox::Recorded recorded = calls->value_or(mailbox::Recorded::kUnknown);
  auto read = [caller = routed.caller, before = *before,
               limit = *limit](persistence::store::StoreReader& store) {
    return store.sessions_of_user(caller.tenant_id, caller.user_id, before, limit);
  };
  CO_ASSIGN_OR_RETURN(auto page,
                      co_await answers::read_held_page<persistence::store::RecordedSession>(
                          context.pages, due, std::move(read)));
  const auto cursor =
      page.rows.more ? fmt::format("{}", page.rows.back().record.created_at_us()) : std::string();
  const bool behind = std::max(sessions->value_or(mailbox::Recorded::kUnknown), recorded) !=
                      mailbox::Recorded::kAll;
  auto write = [recorded](std::string& out, const persistence::store::RecordedSession& session) {
    wire::ObjectText entry(out);
    sessions::write_session(entry, out, session.record);
    write_counts(entry, out, session.counts, recorded);
    entry.end();
  };
  answers::PageFrame frame{.list = "sessions", .next = cursor, .behind = behind};
  co_return co_await answers::page_answer(std::move(page), std::move(frame), std::move(write));
}

}  // namespace toolway::gateway::endpoints
