#include "gateway/mcp/own_answer.h"

#include "base/reserved_names.h"
#include "gateway/mcp/rpc_answer.h"
#include "gateway/mcp/tool_result.h"

namespace toolway::gateway::mcp {

loop::Task<std::optional<wire::Response>> own_answer(const RequestScope& of,
                                                     const RpcRequest& request,
                                                     const calls::PlannedCall& call) {
  const auto& labels = call.request.labels();
  if (labels.namespace_() != kTasksNamespace) co_return std::nullopt;
  Json arguments = Json::object();
  if (auto parsed = parse_json(call.request.arguments())) arguments = *std::move(parsed);
  const auto completion =
      co_await of.context.answer_task(of.routed, of.session, labels.tool(), std::move(arguments));
  co_return json_response(tool_answer(request.request.id, completion, call.request,
                                      call.tool->spec(), request.revision));
}

}  // namespace toolway::gateway::mcp
