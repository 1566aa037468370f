// POST /v1/calls/{c}/cancel
#include "gateway/endpoints/cancel_handler.h"

#include "base/try.h"
#include "gateway/calls/reason_body.h"

namespace toolway::gateway::endpoints {
loop::Task<wire::HttpResult<wire::Response>> post_cancel(
    const CallSearch& search, const calls::StreamSearch& streams,
    const calls::CancelContext& cancel, const extensions::chain::PolicyBoard& policies,
    const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_ASSIGN_OR_RETURN(auto reason, calls::parse_reason(routed.request.body, policies));
  CO_ASSIGN_OR_RETURN(const auto done,
                      co_await cancel_found(search, streams, cancel, routed.caller, routed.acting,
                                            routed.id, std::move(reason)));
  co_return wire::Response{.status = 202, .body = calls::cancellation_json(done)};
}

loop::Task<wire::HttpResult<calls::Cancellation>> cancel_found(
    const CallSearch& search, const calls::StreamSearch& streams,
    const calls::CancelContext& cancel, const wire::Caller& caller, const wire::Acting* acting,
    std::string call_id, std::string reason) {
  const auto deadline = cancel.clock.monotonic() + calls::LogEdit::kTimeLimit;
  CO_ASSIGN_OR_RETURN(auto call,
                      co_await find_to_change(search, streams, caller, call_id, deadline));
  CO_RETURN_IF_ERROR(check_session(acting, call.call));
  co_return co_await calls::cancel_call(cancel, std::move(call), std::move(reason), deadline);
}

}  // namespace toolway::gateway::endpoints
