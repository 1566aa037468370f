#pragma once

#include "base/json.h"
#include "mcp/revision.h"
#include "proto/toolway/v1/call.pb.h"
#include "tools/model/spec.h"

/// Calls as clients of the Model Context Protocol see them. Pure.
namespace toolway::gateway::mcp {

/// The result of `tools/call` for a call that has ended. A call that did not succeed is a result
/// with isError: models read it (every revision, server/tools, "Error Handling").
Json tool_result(const v1::CallEvent& completion, const v1::CallRequest& request,
                 const tools::model::Spec& spec, toolway::mcp::Revision revision);

/// A completion as its event shows it.
v1::CallEvent completion_of(const Json& shown);

/// The same for one that runs on: what a model is told of it.
Json accepted_result(const v1::CallRequest& request, toolway::mcp::Revision revision);

/// Of a call that was refused before it was accepted.
Json refused_result(const Error& error, toolway::mcp::Revision revision);

}  // namespace toolway::gateway::mcp
