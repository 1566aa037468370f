#include <fmt/format.h>

#include <charconv>

#include "gateway/handlers.h"
#include "gateway/json_text.h"
#include "gateway/recorded.h"
#include "gateway/mailbox.h"
#include "gateway/restore.h"
#include "gateway/session_request.h"
#include "proto/subjects.h"

namespace toolway::gateway {
namespace {

/// For what was written just now to be recorded.
constexpr std::chrono::seconds kPatience{1};

void write_counts(ObjectText& object, std::string& out,
                  const std::optional<persistence::CallCounts>& counts) {
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
  inner.end();
}

/// `before` of a list of sessions: the creation time of the last one shown, in microseconds.
Answer<std::optional<WallTime>> parse_before(const Target& target) {
  constexpr std::int64_t kLast = 253'402'300'799'999'999;  // the year 9999: the database has fewer years than an integer
  const auto text = target.query("before");
  if (!text) return std::optional<WallTime>();
  std::int64_t us = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), us);
  if (error != std::errc() || end != text->data() + text->size() || us <= 0 || us > kLast) {
    return refuse(ErrorCode::kInvalidCursor, "?before= takes the `next` of an earlier page");
  }
  return from_unix_us(us);
}

}  // namespace

Task<Answer<Response>> open_session(Services& services, const Asked& asked) {
  if (auto known = asked.target.only({}); !known) co_return refuse(std::move(known.error()));
  auto body = parse_session_request(asked.request.body);
  if (!body) co_return refuse(std::move(body.error()));
  Sessions::ToolsetDigest digest = [&services](std::span<const std::string> namespaces, std::string_view key) {
    return services.tools_view.of(namespaces, tools::Format::kToolway, key)->digest;
  };
  auto opened = co_await services.sessions.open(std::move(*body), asked.caller, std::move(digest));
  if (!opened) co_return refuse(std::move(opened.error()));
  if (opened->session->record.state() == v1::SessionRecord::STATE_CLOSED) {
    co_return co_await restore(services, asked.caller, opened->session->record.session_id());
  }
  const auto& session = *opened->session;
  const auto list = services.tools_view.of(session.namespaces, tools::Format::kToolway, session.record.session_key());
  Response response{.status = opened->created ? 201U : 200U};
  ObjectText object(response.body);
  write_session(object, response.body, opened->session->record);
  object.json("tools", list->json);
  object.end();
  co_return response;
}

Task<Answer<Response>> show_session(Services& services, const Asked& asked) {
  if (auto known = asked.target.only({}); !known) co_return refuse(std::move(known.error()));
  auto session = co_await services.sessions.read(asked.caller, asked.id);
  if (!session) co_return refuse(std::move(session.error()));
  services.sessions.touch(*session);
  auto read = [key = (*session)->key,
               cursor = acknowledged((*session)->record)](persistence::StoreReader& store) {
    return store.counts(key, cursor);
  };
  const auto counts = co_await services.store.run<persistence::CallCounts>(std::move(read));
  Response response;
  ObjectText object(response.body);
  write_session(object, response.body, (*session)->record);
  write_counts(object, response.body,
               counts ? std::optional(*counts) : std::optional<persistence::CallCounts>());
  object.end();
  co_return response;
}

Task<Answer<Response>> list_sessions(Services& services, const Asked& asked) {
  if (auto known = asked.target.only({"limit", "before"}); !known) {
    co_return refuse(std::move(known.error()));
  }
  const auto limit = parse_limit(asked.target, 100, 1000);
  if (!limit) co_return refuse(limit.error());
  const auto before = parse_before(asked.target);
  if (!before) co_return refuse(before.error());
  co_await await_recorded(services, proto::kSessionsStream,
                          proto::bucket_subject(proto::kSessionsBucket, ">"), kPatience);
  auto read = [user = asked.caller.user_id, before = *before,
               limit = *limit](persistence::StoreReader& store) {
    return store.sessions_of_user(kTenant, user, before, limit + 1);
  };
  auto found =
      co_await services.store.run<std::vector<persistence::RecordedSession>>(std::move(read));
  if (!found) co_return refuse(std::move(found.error()));
  const bool more = found->size() > *limit;
  if (more) found->resize(*limit);
  Response response;
  std::string& out = response.body;
  ObjectText object(out);
  object.begin("sessions");
  out.push_back('[');
  for (std::size_t i = 0; i < found->size(); ++i) {
    if (i > 0) out.push_back(',');
    ObjectText entry(out);
    write_session(entry, out, (*found)[i].record);
    write_counts(entry, out, (*found)[i].counts);
    entry.end();
  }
  out.push_back(']');
  object.text_or_null("next", more ? fmt::format("{}", found->back().record.created_at_us())
                                   : std::string());
  object.end();
  co_return response;
}

}  // namespace toolway::gateway
