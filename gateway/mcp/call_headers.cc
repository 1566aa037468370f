#include "gateway/mcp/call_headers.h"

#include <utility>

#include "gateway/mcp/mirrored.h"
#include "mcp/fields.h"

namespace toolway::gateway::mcp {

using toolway::mcp::member;

loop::Task<std::optional<std::string>> wrong_headers(const RequestScope& of,
                                                     const RpcRequest& request,
                                                     const calls::PlannedCall& planned) {
  const auto* head = of.routed.request.head;
  if (!request.stateless || head == nullptr) co_return std::nullopt;
  const auto mirrored = toolway::mcp::mirrored_parameters(planned.tool->spec().input_schema);
  if (!mirrored || mirrored->empty()) co_return std::nullopt;
  if (const auto* arguments = member(request.request.params, "arguments"))
    co_return wrong_mirror(*mirrored, *arguments, *head);
  // Of heavy arguments there is only the text.
  auto read = [text = planned.request.arguments()] { return parse_json(text); };
  const auto arguments = co_await of.context.plan.threads.run<Json>(std::move(read));
  if (!arguments) co_return "the arguments cannot be read now";
  co_return wrong_mirror(*mirrored, *arguments, *head);
}

}  // namespace toolway::gateway::mcp
