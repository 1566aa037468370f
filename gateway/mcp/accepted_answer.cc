#include "gateway/mcp/accepted_answer.h"

#include <string>

#include "base/reserved_names.h"
#include "gateway/mcp/rpc_answer.h"
#include "gateway/mcp/tool_result.h"
#include "proto/qualified_name.h"
#include "tools/builtin/task_tools.h"

namespace toolway::gateway::mcp {
namespace {

/// What the model calls the tool that says how far a call is; empty: the session has none.
loop::Task<std::string> name_of_check(const RequestScope& of) {
  const auto seen = co_await of.context.tools.set_of(of.session.namespaces, of.routed.grants);
  if (!seen) co_return std::string();
  for (const auto* tool : (*seen)->tools) {
    const auto& spec = tool->spec();
    if (spec.ns == kTasksNamespace && spec.name == tools::builtin::kCheckTask)
      co_return (*seen)->names.of(spec);
  }
  co_return std::string();
}

}  // namespace

wire::Response created_answer(const RequestScope& of, const RpcRequest& request,
                              const v1::CallRequest& call) {
  const auto times = of.context.task_times(proto::qualified_name(call.labels()));
  return json_response(
      answer_text(request.request.id, created_task(call, request.revision, times)));
}

loop::Task<wire::Response> accepted_answer(const RequestScope& of, const RpcRequest& request,
                                           const v1::CallRequest& call,
                                           tools::model::RegisteredToolPtr tool) {
  const auto check_tool = co_await name_of_check(of);
  const auto result = accepted_result(call, tool->spec(), request.revision, check_tool);
  co_return json_response(answer_text(request.request.id, result));
}

}  // namespace toolway::gateway::mcp
