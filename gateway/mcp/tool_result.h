#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "mcp/message.h"
#include "mcp/revision.h"
#include "proto/toolway/v1/call.pb.h"
#include "tools/exports/format.h"
#include "tools/model/spec.h"

/// Calls as clients of the Model Context Protocol see them. Pure.
namespace toolway::gateway::mcp {

/// Whether its clients refuse a result without `structuredContent` that has no isError, as SDKs do:
/// they have been shown an output schema (2025-06-18, server/tools, "Output Schema").
bool must_be_structured(const tools::model::Spec& spec, toolway::mcp::Revision revision);

/// Whether the result needs the whole text of a large one.
bool needs_whole(const v1::Completed& completed, const tools::model::Spec& spec,
                 toolway::mcp::Revision revision);

/// The result of `tools/call` for a call that has ended. A call that did not succeed is a result
/// with isError: models read it (every revision, server/tools, "Error Handling"). So is one that
/// needs the whole text of a large result and does not get it: `whole` is empty.
Json tool_result(const v1::CallEvent& completion, const v1::CallRequest& request,
                 const tools::model::Spec& spec, toolway::mcp::Revision revision,
                 std::string_view whole = {});

/// The answer to the request `id` with that result, as a text. What most calls have is written
/// without being read: a result that is not too large, and no blocks. Lines that such a result has
/// are kept, so in a stream of events it must have none, as those of `completion_of`.
std::string tool_answer(const toolway::mcp::RequestId& id, const v1::CallEvent& completion,
                        const v1::CallRequest& request, const tools::model::Spec& spec,
                        toolway::mcp::Revision revision, std::string_view whole = {});

/// An error of the protocol instead of a result: what the tool's own server answered so, and a
/// question that the client had not declared, where the revision has an error for it. Nothing: it
/// is a result.
std::optional<toolway::mcp::RpcError> protocol_error(const v1::Completed& completed,
                                                     toolway::mcp::Revision revision);

/// A completion as its event shows it.
v1::CallEvent completion_of(const Json& shown);

/// The same for one that continues: what a model is told of it. `check_tool`: the tool that says
/// how far it is, as the model calls it; empty: the session has none.
Json accepted_result(const v1::CallRequest& request, const tools::model::Spec& spec,
                     toolway::mcp::Revision revision, std::string_view check_tool);

/// What the lists of tools of a revision have.
tools::exports::Format list_format(toolway::mcp::Revision revision);

/// Of a call that was refused before it was accepted.
Json refused_result(const Error& error, toolway::mcp::Revision revision);

}  // namespace toolway::gateway::mcp
