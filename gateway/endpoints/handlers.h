#pragma once

#include "gateway/services/services.h"
#include "gateway/wire/asked.h"
#include "gateway/wire/route.h"

namespace toolway::gateway {

/// Answers one request: finds its route and caller, and turns a problem into its response.
/// `route` becomes the one that it found.
Task<Response> handle(Services& services, const Request& request, Route& route);

Task<Answer<Response>> open_session(Services& services, const Asked& asked);
Task<Answer<Response>> list_sessions(Services& services, const Asked& asked);
Task<Answer<Response>> show_session(Services& services, const Asked& asked);
Task<Answer<Response>> close_session(Services& services, const Asked& asked);
Task<Answer<Response>> restore_session(Services& services, const Asked& asked);
Task<Answer<Response>> list_completions(Services& services, const Asked& asked);
Task<Answer<Response>> ack_completions(Services& services, const Asked& asked);
Task<Answer<Response>> session_tools(Services& services, const Asked& asked);
Task<Answer<Response>> list_tools(Services& services, const Asked& asked);

Task<Answer<Response>> post_call(Services& services, const Asked& asked);
Task<Answer<Response>> post_batch(Services& services, const Asked& asked);
Task<Answer<Response>> post_tool_calls(Services& services, const Asked& asked);

Task<Answer<Response>> list_calls(Services& services, const Asked& asked);
Task<Answer<Response>> show_call(Services& services, const Asked& asked);
/// A call of this caller as far as it is recorded; waits for one that is not. Errors: unknown_call
/// only when everything accepted so far is recorded, otherwise collector_behind.
Task<Answer<persistence::RecordedCall>> find_call(Services& services, const Caller& caller,
                                                  std::string_view id);

/// What is recorded, brought up to date by the call's last event when it is not final.
Task<void> bring_up_to_date(Services& services, persistence::RecordedCall& call);
Task<Answer<Response>> post_cancel(Services& services, const Asked& asked);
Task<Answer<Response>> explain_call(Services& services, const Asked& asked);
Task<Answer<Response>> list_workers(Services& services, const Asked& asked);
Task<Answer<Response>> show_result(Services& services, const Asked& asked);

Task<Answer<Response>> session_events(Services& services, const Asked& asked);
Task<Answer<Response>> call_events(Services& services, const Asked& asked);

Response readyz(const Services& services);

}  // namespace toolway::gateway
