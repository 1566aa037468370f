#include "gateway/endpoints/mcp_handler.h"

#include "base/try.h"
#include "gateway/calls/reason_body.h"
#include "gateway/endpoints/task_ports.h"

namespace toolway::gateway::endpoints {
namespace {

/// At the word of an MCP client. What a reason hides is hidden as in the body of `approve`.
loop::Task<wire::HttpResult<void>> decide_call(const ApprovalsContext& on, wire::Caller caller,
                                               std::string call_id, Vote vote) {
  vote.reason = calls::masked_reason(std::move(vote.reason), on.policies);
  CO_RETURN_IF_ERROR(co_await vote_on(on, caller, std::move(call_id), std::move(vote)));
  co_return wire::HttpResult<void>();
}

/// Only a path without a name opens a session: a name may be mistyped, or of one that was deleted.
loop::Task<wire::HttpResult<sessions::SessionPtr>> find_session(const SessionsContext& on,
                                                                const wire::RoutedRequest& routed,
                                                                std::string session_id) {
  if (routed.id.empty()) co_return co_await session_or_new(on, routed, std::move(session_id));
  co_return co_await on.sessions.find_open(routed.caller, session_id);
}

}  // namespace

calls::CancelCall cancel_port(const Endpoints& on) {
  return [&on](const wire::Caller& caller, std::string call_id, std::string reason) {
    return cancel_found(on.search, on.streams, on.cancel, caller, nullptr, std::move(call_id),
                        std::move(reason));
  };
}

loop::Task<wire::HttpResult<wire::Response>> answer_mcp(const Endpoints& on, wire::Route route,
                                                        const wire::RoutedRequest& routed) {
  const mcp::McpPorts ports{
      .find_session =
          [&on](const wire::RoutedRequest& of, std::string session_id) {
            return find_session(on.sessions, of, std::move(session_id));
          },
      .answer_call =
          [&on](const wire::Caller& caller, std::string call_id, calls::ToAnswer given) {
            return answer_call(on.input, caller, std::move(call_id), std::move(given));
          },
      .cancel_call = cancel_port(on),
      .decide_call =
          [&on](const wire::Caller& caller, std::string call_id, bool approve, std::string reason) {
            return decide_call(on.approvals, caller, std::move(call_id),
                               {.approve = approve, .reason = std::move(reason)});
          },
      .note_refusal = [&on](const wire::Caller& caller,
                            ErrorCode code) { on.refusals.note(caller, code); },
      .read_task =
          [&on](const wire::Caller& caller, std::string session_key, std::string call_id) {
            return read_task(on.search, on.streams, caller, std::move(session_key),
                             std::move(call_id));
          },
      .list_tasks =
          [&on](SessionKey session, std::optional<CallId> before) {
            return list_tasks(on.search, on.calls.pages, std::move(session), std::move(before));
          },
      .read_result =
          [&on](const wire::Caller& caller, std::string call_id, std::string session_key) {
            return read_result(on.search, on.drain, caller, std::move(call_id),
                               std::move(session_key));
          }};
  switch (route) {
    case wire::Route::kMcpStream:
    case wire::Route::kMcpSessionStream: co_return co_await mcp::get_mcp(on.mcp, ports, routed);
    case wire::Route::kEndMcp:
    case wire::Route::kEndMcpSession: co_return co_await mcp::delete_mcp(on.mcp, routed);
    default: co_return co_await mcp::post_mcp(on.mcp, ports, routed);
  }
}

}  // namespace toolway::gateway::endpoints
