#pragma once

#include <string_view>

#include "gateway/mcp/mcp_context.h"
#include "gateway/mcp/rpc_request.h"

namespace toolway::gateway::mcp {

/// Whether a revision has this method of tasks.
bool is_of_tasks(std::string_view method, toolway::mcp::Revision revision);

/// `tasks/get`, `tasks/result`, `tasks/list`, `tasks/cancel` and `tasks/update`, about the calls of
/// the session, whatever face they came through. Another session's or user's task is one that there
/// is not. Errors: the bus's and the store's.
loop::Task<wire::HttpResult<wire::Response>> answer_tasks(const RequestScope& of,
                                                          const RpcRequest& request);

/// What a server can of tasks in this revision, into its capabilities.
void add_tasks(Json& capabilities, toolway::mcp::Revision revision);

}  // namespace toolway::gateway::mcp
