// POST /v1/calls/{c}/cancel
#include "gateway/endpoints/cancel_handler.h"

#include "base/try.h"
#include "gateway/calls/reason_body.h"
#include "gateway/loop/task_group.h"

namespace toolway::gateway::endpoints {
namespace {

using persistence::store::RecordedCall;

loop::Task<wire::HttpResult<RecordedCall>> find_recorded(const CallSearch& search,
                                                         wire::Caller caller, std::string id) {
  co_return co_await find_call(search, caller, id);
}

/// The store is asked first, and the streams when it does not answer at once: neither an outage of
/// Postgres nor of the collectors keeps a call from being cancelled.
loop::Task<wire::HttpResult<calls::KnownCall>> find_to_cancel(const CallSearch& search,
                                                              const calls::StreamSearch& streams,
                                                              const wire::Caller& caller,
                                                              const std::string& id,
                                                              MonotonicTime deadline) {
  constexpr std::chrono::milliseconds kStoreWait{100};
  constexpr std::chrono::milliseconds kStreamsWait{400};
  CO_ASSIGN_OR_RETURN(const auto call_id, CallId::parse(id));
  loop::TaskGroup asked(co_await asio::this_coro::executor);
  const auto store = asked.start(find_recorded(search, caller, id));
  co_await asked.wait(kStoreWait);
  const auto answered = [&store] {
    const auto& found = *store;
    return found && (found->has_value() || found->error().error.code == ErrorCode::kUnknownCall);
  };
  if (!answered()) {
    auto streamed = co_await calls::find_in_streams(streams, caller, call_id,
                                                    search.clock.monotonic() + kStreamsWait);
    if (streamed) co_return calls::to_cancel(std::move(*streamed));
    co_await asked.wait(deadline - search.clock.monotonic());
  }
  if (!store->has_value()) {
    co_return wire::refuse(ErrorCode::kCollectorBehind,
                           "neither the database nor the streams show the call yet; ask again");
  }
  auto& found = **store;
  CO_RETURN_IF_ERROR(found);
  co_return calls::KnownCall(std::move(*found));
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> post_cancel(
    const CallSearch& search, const calls::StreamSearch& streams,
    const calls::CancelContext& cancel, const extensions::chain::PolicyBoard& policies,
    const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_ASSIGN_OR_RETURN(auto reason, calls::parse_reason(routed.request.body, policies));
  const auto deadline = cancel.clock.monotonic() + calls::LogEdit::kTimeLimit;
  CO_ASSIGN_OR_RETURN(auto call,
                      co_await find_to_cancel(search, streams, routed.caller, routed.id, deadline));
  CO_ASSIGN_OR_RETURN(
      auto done, co_await calls::cancel_call(cancel, std::move(call), std::move(reason), deadline));
  co_return wire::Response{.status = 202, .body = calls::cancellation_json(done)};
}

}  // namespace toolway::gateway::endpoints
