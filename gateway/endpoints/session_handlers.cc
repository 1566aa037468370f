#include "gateway/endpoints/session_handlers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/try.h"
#include "gateway/answers/give_way.h"
#include "gateway/calls/tool_advice.h"
#include "gateway/loop/side_by_side.h"
#include "gateway/sessions/session_request.h"
#include "gateway/wire/json_text.h"
#include "proto/subjects.h"

namespace toolway::gateway {
namespace {

/// How long to wait until what was just written is recorded.
constexpr std::chrono::seconds kPatience{1};
/// How long to wait until the counts include what just happened.
constexpr std::chrono::milliseconds kForCounts{200};

void write_counts(ObjectText& object, std::string& out,
                  const std::optional<persistence::CallCounts>& counts, Recorded recorded) {
  object.begin("counts");
  if (!counts) {
    out.append("null");
    return;
  }
  ObjectText inner(out);
  inner.number("queued", counts->queued);
  inner.number("running", counts->running);
  inner.number("completed", counts->completed);
  inner.number("unread", counts->unread);
  inner.boolean("behind", recorded != Recorded::kAll);
  inner.end();
}

Task<Recorded> await_all_calls(const RecordWatch& recorded) {
  SideBySide asked(co_await asio::this_coro::executor);
  const auto calls =
      asked.start(await_recorded(recorded, proto::kCallsStream, "call.>", kForCounts));
  const auto events =
      asked.start(await_recorded(recorded, proto::kEventsStream, "event.>", kForCounts));
  co_await asked.wait();
  co_return std::max(calls->value_or(Recorded::kUnknown), events->value_or(Recorded::kUnknown));
}

Task<Result<std::string>> toolset_digest(ToolsView& view, std::span<const std::string> namespaces,
                                         std::string_view key) {
  CO_ASSIGN_OR_RETURN(auto list, co_await view.of(namespaces, tools::Format::kToolway, key));
  co_return list->digest;
}

/// `before` of a list of sessions: the creation time of the last one shown, in microseconds.
Answer<std::optional<WallTime>> parse_before(const Target& target) {
  constexpr std::int64_t kLast =
      253'402'300'799'999'999;  // the year 9999: the database has fewer years than an integer
  const auto text = target.query("before");
  if (!text) return std::optional<WallTime>();
  std::int64_t us = 0;
  if (!parse_number(*text, us) || us <= 0 || us > kLast) {
    return refuse(ErrorCode::kInvalidCursor, "?before= takes the `next` of an earlier page");
  }
  return from_unix_us(us);
}

}  // namespace

Task<Answer<Response>> open_session(const SessionsContext& context, const RestoreContext& closed,
                                    const Asked& asked) {
  CO_RETURN_IF_ERROR(asked.target.only({}));
  CO_ASSIGN_OR_RETURN(auto body, parse_session_request(asked.request.body));
  Sessions::ToolsetDigest digest = [&tools = context.tools](std::span<const std::string> namespaces,
                                                            std::string_view key) {
    return toolset_digest(tools, namespaces, key);
  };
  CO_ASSIGN_OR_RETURN(auto opened, co_await context.sessions.open(std::move(body), asked.caller,
                                                                  std::move(digest)));
  if (opened.session->record.state() == v1::SessionRecord::STATE_CLOSED) {
    co_return co_await restore(closed, asked.caller, opened.session->record.session_id());
  }
  const SessionPtr session = opened.session;
  auto list = co_await context.tools.of(session->namespaces, tools::Format::kToolway,
                                        session->record.session_key());
  CO_RETURN_IF_ERROR(list);
  const std::size_t bytes = (*list)->json.size();
  auto warnings = namespace_warnings(*context.registry.now(), session->namespaces);
  auto write = [session, list = std::move(*list),
                warnings = std::move(warnings)](std::string& out) {
    out.reserve(list->json.size() + 4096);
    ObjectText object(out);
    write_session(object, out, session->record);
    object.json("tools", list->json);
    write_warnings(object, out, warnings);
    object.end();
  };
  Response response{.status = opened.created ? 201U : 200U};
  co_return co_await written(context.answers, std::move(response), bytes, Sent::kAlways,
                             std::move(write));
}

Task<Answer<Response>> show_session(const SessionsContext& context, const Asked& asked) {
  CO_RETURN_IF_ERROR(asked.target.only({}));
  CO_ASSIGN_OR_RETURN(auto session, co_await context.sessions.read(asked.caller, asked.id));
  context.sessions.touch(session);
  const auto recorded = co_await await_session_recorded(context.recorded, session->key, kForCounts);
  auto read = [key = session->key, cursor = acknowledged(session->record)](
                  persistence::StoreReader& store) { return store.counts(key, cursor); };
  const auto counts = co_await context.pages.store.run<persistence::CallCounts>(std::move(read));
  Response response;
  ObjectText object(response.body);
  write_session(object, response.body, session->record);
  write_counts(object, response.body,
               counts ? std::optional(*counts) : std::optional<persistence::CallCounts>(),
               recorded);
  object.end();
  co_return response;
}

Task<Answer<Response>> list_sessions(const SessionsContext& context, const Asked& asked) {
  CO_RETURN_IF_ERROR(asked.target.only({"limit", "before"}));
  const auto limit = parse_limit(asked.target, 100, 1000);
  CO_RETURN_IF_ERROR(limit);
  const auto before = parse_before(asked.target);
  CO_RETURN_IF_ERROR(before);
  SideBySide waits(co_await asio::this_coro::executor);
  const auto sessions =
      waits.start(await_recorded(context.recorded, proto::kSessionsStream,
                                 proto::bucket_subject(proto::kSessionsBucket, ">"), kPatience));
  const auto calls = waits.start(await_all_calls(context.recorded));
  co_await waits.wait();
  const Recorded recorded = calls->value_or(Recorded::kUnknown);
  auto read = [user = asked.caller.user_id, before = *before,
               limit = *limit](persistence::StoreReader& store) {
    return store.sessions_of_user(kTenant, user, before, limit);
  };
  CO_ASSIGN_OR_RETURN(auto page, co_await read_held_page<persistence::RecordedSession>(
                                     context.pages, std::move(read)));
  const auto& found = page.rows;
  Response response{.memory = std::move(page.memory)};
  std::string& out = response.body;
  ObjectText object(out);
  object.begin("sessions");
  out.push_back('[');
  std::size_t turn = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (out.size() - turn > kTurnBytes) {
      turn = out.size();
      co_await give_way();
    }
    if (i > 0) out.push_back(',');
    ObjectText entry(out);
    write_session(entry, out, found[i].record);
    write_counts(entry, out, found[i].counts, recorded);
    entry.end();
  }
  out.push_back(']');
  object.text_or_null(
      "next", found.more ? fmt::format("{}", found.back().record.created_at_us()) : std::string());
  object.boolean("behind",
                 std::max(sessions->value_or(Recorded::kUnknown), recorded) != Recorded::kAll);
  object.end();
  co_return response;
}

}  // namespace toolway::gateway
