#pragma once

#include "gateway/answers/held_page.h"
#include "gateway/endpoints/find_call.h"
#include "gateway/mcp/mcp_context.h"

namespace toolway::gateway::endpoints {

/// A call of this caller as it is now, recorded or not. The last event of a call says all that a
/// task shows, so the store is asked only about calls that have none in the stream, unless this
/// gateway has just accepted them, and those whose session is not known (`session_key` is
/// empty). Errors: as of find_to_change.
loop::Task<wire::HttpResult<mcp::TaskFacts>> read_task(const CallSearch& search,
                                                       const calls::StreamSearch& streams,
                                                       const wire::Caller& caller,
                                                       std::string session_key, std::string id);

/// The newest calls of a session, or those older than `before`. Errors: the store's, overloaded.
loop::Task<wire::HttpResult<mcp::TaskPage>> list_tasks(const CallSearch& search,
                                                       const answers::PageSources& pages,
                                                       SessionKey session,
                                                       std::optional<CallId> before);

}  // namespace toolway::gateway::endpoints
