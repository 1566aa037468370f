#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/mcp/mcp_context.h"
#include "gateway/mcp/rpc_request.h"

/// The results of a session's calls as resources (each revision: server/resources).
namespace toolway::gateway::mcp {

/// What lists of templates say of them.
Json result_template();

/// Whether there is one.
bool has_result(const TaskFacts& facts);

/// What a client is told of one that cannot be read; nothing: `why` is about something else.
std::optional<toolway::mcp::RpcError> result_refused(const Error& why, const std::string& uri);

/// What is answered about them without looking: completion proposes no ids. Nothing: it is about
/// something else. Pure.
std::optional<Json> answer_about_results(std::string_view method, const Json& params,
                                         bool stateless);

/// Adds a page of them, newest first, to the answer of `resources/list`: what files offer is on
/// the first page. Errors: the store's. False: the cursor was not made here.
loop::Task<wire::HttpResult<bool>> list_results(const RequestScope& of, const RpcRequest& request,
                                                Json& listed);

/// `resources/read` of one. Errors: the bus's and the store's, overloaded.
loop::Task<wire::HttpResult<wire::Response>> read_result_resource(const RequestScope& of,
                                                                  const RpcRequest& request,
                                                                  std::string call_id);

}  // namespace toolway::gateway::mcp
