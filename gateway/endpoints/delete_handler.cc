#include "gateway/endpoints/delete_handler.h"

#include <fmt/format.h>

#include "base/try.h"
#include "gateway/wire/json_text.h"

namespace toolway::gateway::endpoints {
namespace {

using persistence::store::CallCounts;

/// How long the collectors may take to record what was accepted before, and the deletion.
constexpr std::chrono::seconds kRecordWait{2};

/// How many calls the session has, all of them counted.
loop::Task<wire::HttpResult<CallCounts>> count_calls(const CloseContext& context,
                                                     const sessions::Session& session) {
  const auto recorded =
      co_await mailbox::await_session_recorded(context.recorded, session.key, kRecordWait);
  if (recorded != mailbox::Recorded::kAll)
    co_return wire::refuse(ErrorCode::kCollectorBehind,
                           "the session's last calls are not recorded yet, so this gateway cannot "
                           "tell which are in progress; nothing was deleted: ask again");
  auto read = [key = session.key](persistence::store::StoreReader& store) {
    return store.counts(key, {});
  };
  CO_ASSIGN_OR_RETURN(auto counts, co_await context.pages.store.run<CallCounts>(std::move(read)));
  co_return counts;
}

/// Cancels what is in progress, and waits for it; how many calls outlast that.
loop::Task<wire::HttpResult<std::size_t>> cancel_calls(const CloseContext& context,
                                                       const wire::RoutedRequest& routed,
                                                       std::chrono::milliseconds timeout) {
  const sessions::CloseRequest closing{.pending = v1::SessionRecord::CLOSING_CANCEL,
                                       .timeout = timeout};
  CO_ASSIGN_OR_RETURN(const auto ended, co_await end_session(context, routed, closing));
  if (ended.waiting == mailbox::Waiting::kEndedEarly)
    co_return wire::refuse(ErrorCode::kShuttingDown,
                           "the session is closed and its calls are being cancelled, but this "
                           "gateway stopped waiting for them: ask again");
  co_return ended.manifest.pending();
}

wire::Response answer(std::string_view session_id, std::uint64_t calls, std::size_t outlasted) {
  wire::Response response;
  wire::ObjectText object(response.body);
  object.text("session_id", session_id);
  object.text("state", "deleted");
  object.number("deleted_calls", calls);
  object.number("still_running", outlasted);
  object.end();
  return response;
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> delete_session(const CloseContext& context,
                                                            const wire::RoutedRequest& routed) {
  CO_ASSIGN_OR_RETURN(const auto request, sessions::parse_delete_request(routed.target));
  CO_ASSIGN_OR_RETURN(const auto found,
                      co_await context.sessions.read_any(routed.caller, routed.id));
  if (sessions::is_deleted(found->record)) {
    CO_RETURN_IF_ERROR(
        co_await context.sessions.await_deleted(routed.caller, routed.id, found->key, kRecordWait));
    co_return wire::refuse(ErrorCode::kUnknownSession, "the session was deleted before");
  }
  CO_ASSIGN_OR_RETURN(const auto counts, co_await count_calls(context, *found));
  const std::uint64_t pending = counts.queued + counts.running + counts.held;
  if (pending > 0 && !request.cancel) {
    co_return wire::refuse(
        ErrorCode::kCallNotCompleted,
        fmt::format(
            "{} of the session's calls {} in progress or {} for approval; wait until all have "
            "ended, or cancel them with ?pending=cancel",
            pending, pending == 1 ? "is" : "are", pending == 1 ? "waits" : "wait"));
  }
  std::size_t outlasted = 0;
  if (pending > 0) {
    CO_ASSIGN_OR_RETURN(outlasted, co_await cancel_calls(context, routed, request.timeout));
  }
  sessions::SessionChange deletion =
      sessions::SessionDeletion{.key = found->key, .now = context.clock.wall()};
  const auto deleted =
      co_await context.sessions.change(routed.caller, routed.id, std::move(deletion));
  // Another request may have been faster.
  if (!deleted && deleted.error().error.code != ErrorCode::kUnknownSession)
    co_return wire::refuse(deleted.error());
  CO_RETURN_IF_ERROR(
      co_await context.sessions.await_deleted(routed.caller, routed.id, found->key, kRecordWait));
  co_return answer(routed.id, pending + counts.completed, outlasted);
}

}  // namespace toolway::gateway::endpoints
