#pragma once

#include "gateway/mcp/mcp_context.h"
#include "gateway/mcp/rpc_request.h"

/// The answers that say that a call was accepted, and no more.
namespace toolway::gateway::mcp {

/// It is a task.
wire::Response created_answer(const RequestScope& of, const RpcRequest& request,
                              const v1::CallRequest& call);

/// It is none: what a model reads of the call, and how it learns more.
loop::Task<wire::Response> accepted_answer(const RequestScope& of, const RpcRequest& request,
                                           const v1::CallRequest& call,
                                           tools::model::RegisteredToolPtr tool);

}  // namespace toolway::gateway::mcp
